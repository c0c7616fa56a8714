async function nothing() {}

async function main(n) {
  const start = process.hrtime.bigint();
  let ended = 0;
  for (let i = 0; i < n; i++) {
    await nothing();
    ended++;
  }
  console.log(`${Number(process.hrtime.bigint() - start) / n} ${ended}`);
}

main(Number(process.argv[2]));
