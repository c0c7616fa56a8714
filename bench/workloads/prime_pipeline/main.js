const Channel = require("../../lib/channel.js");

async function generate(to) {
  for (let i = 2; ; i++) await to.send(i);
}

async function keepIndivisible(from, to, prime) {
  for (;;) {
    const candidate = await from.recv();
    if (candidate % prime !== 0) await to.send(candidate);
  }
}

async function main(n) {
  const start = process.hrtime.bigint();
  let candidates = new Channel();
  generate(candidates);
  let prime = 0;
  for (let i = 0; i < n; i++) {
    prime = await candidates.recv();
    const to = new Channel();
    keepIndivisible(candidates, to, prime);
    candidates = to;
  }
  console.log(`${process.hrtime.bigint() - start} ${prime}`);
  process.exit();
}

main(Number(process.argv[2]));
