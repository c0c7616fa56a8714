const Channel = require("../../lib/channel.js");
const members = 1000;

async function member(from, to, done, number) {
  for (;;) {
    const hopsLeft = await from.recv();
    if (hopsLeft === 0) return done.send(number);
    await to.send(hopsLeft - 1);
  }
}

async function main(n) {
  const first = new Channel();
  const done = new Channel();
  let from = first;
  for (let i = 1; i <= members; i++) {
    const to = i === members ? first : new Channel();
    member(from, to, done, i);
    from = to;
  }
  const start = process.hrtime.bigint();
  await first.send(n);
  const last = await done.recv();
  console.log(`${Number(process.hrtime.bigint() - start) / n} ${last}`);
}

main(Number(process.argv[2]));
