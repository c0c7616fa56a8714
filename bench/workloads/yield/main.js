async function yieldTimes(n) {
  let done = 0;
  for (let i = 0; i < n; i++) {
    await null;
    done++;
  }
  return done;
}

async function main(n) {
  const start = process.hrtime.bigint();
  const other = yieldTimes(n / 2);
  const mine = await yieldTimes(n / 2);
  const switches = mine + (await other);
  console.log(`${Number(process.hrtime.bigint() - start) / n} ${switches}`);
}

main(Number(process.argv[2]));
