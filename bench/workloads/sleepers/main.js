const sleep = (ms) => new Promise((woken) => setTimeout(woken, ms));

async function nap() {
  await sleep(10000);
}

async function main(n) {
  const start = process.hrtime.bigint();
  const sleepers = [];
  for (let i = 0; i < n; i++) sleepers.push(nap());
  let ended = 0;
  for (const sleeper of sleepers) {
    await sleeper;
    ended++;
  }
  console.log(`${Number(process.hrtime.bigint() - start - 10000000000n) / n} ${ended}`);
}

main(Number(process.argv[2]));
