const Channel = require("../../lib/channel.js");

async function echo(there, back) {
  for (;;) await back.send((await there.recv()) + 1);
}

async function main(n) {
  const there = new Channel();
  const back = new Channel();
  echo(there, back);
  const start = process.hrtime.bigint();
  let sum = 0;
  for (let i = 0; i < n; i++) {
    await there.send(i);
    sum += await back.recv();
  }
  console.log(`${Number(process.hrtime.bigint() - start) / n} ${sum}`);
}

main(Number(process.argv[2]));
