import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readKernel } from './programs'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-programs-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Returns a command that prints `whole`, except that its first `runs` runs execute `instead`. */
const reader = (runs: number, instead: string) => [
  ...['sh', '-c', `echo >>"$0"; [ $(wc -l <"$0") -le ${runs} ] && { ${instead}; }; echo whole`],
  join(folder, 'runs'),
]
const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).length

test.for([
  {
    name: 'exits with code 0',
    instead: "echo half; echo 'Dump was interrupted and may be inconsistent.' >&2; exit 0",
  },
  { name: 'exits with an error', instead: "echo half; echo 'Dump terminated' >&2; exit 1" },
  { name: 'fails with an interrupted system call', instead: "echo 'netlink: Interrupted system call' >&2; exit 1" },
])('retries an interrupted kernel read that $name', async ({ instead }) => {
  expect(await readKernel(reader(2, instead))).toBe('whole\n')
  expect(await runs()).toBe(3)
})

test('fails if every read is interrupted', async () => {
  const always = reader(1_000, "echo 'Dump was interrupted and may be inconsistent.' >&2; exit 0")
  await expect(readKernel(always)).rejects.toThrow('Dump was interrupted')
})

test.for([
  { errors: 'Operation not permitted', reason: 'Operation not permitted' },
  {
    errors: 'Error: ipv4: FIB table does not exist.\nDump terminated',
    reason: 'Error: ipv4: FIB table does not exist.',
  },
])('reports any other error immediately, with its reason: $reason', async ({ errors, reason }) => {
  await expect(readKernel(reader(1_000, `echo '${errors}' >&2; exit 1`))).rejects.toThrow(reason)
  expect(await runs()).toBe(1)
})
