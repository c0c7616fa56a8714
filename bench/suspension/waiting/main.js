async function waitAtGate(gate) {
  return await gate;
}

async function main(n) {
  const start = process.hrtime.bigint();
  let open;
  const gate = new Promise((opened) => (open = opened));
  const waiting = [];
  for (let i = 0; i < n; i++) waiting.push(waitAtGate(gate));
  open(1);
  let passed = 0;
  for (const one of waiting) passed += await one;
  console.log(`${Number(process.hrtime.bigint() - start) / (n + 1)} ${passed}`);
}

main(Number(process.argv[2]));
