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

/** A program that answers `whole`, but at its first runs does something else. */
const reader = (runs: number, instead: string) => [
  ...['sh', '-c', `echo >>"$0"; [ $(wc -l <"$0") -le ${runs} ] && { ${instead}; }; echo whole`],
  join(folder, 'runs'),
]
const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).length

test.for([
  {
    name: 'ends as if it were whole',
    instead: "echo half; echo 'Dump was interrupted and may be inconsistent.' >&2; exit 0",
  },
  { name: 'ends with an error', instead: "echo half; echo 'Dump terminated' >&2; exit 1" },
  { name: 'is an interrupted call', instead: "echo 'netlink: Interrupted system call' >&2; exit 1" },
])('an interrupted answer of the kernel that $name is read again', async ({ instead }) => {
  expect(await readKernel(reader(2, instead))).toBe('whole\n')
  expect(await runs()).toBe(3)
})

test('an answer that is interrupted each time is an error', async () => {
  const always = reader(1_000, "echo 'Dump was interrupted and may be inconsistent.' >&2; exit 0")
  await expect(readKernel(always)).rejects.toThrow('Dump was interrupted')
})

test.for([
  { errors: 'Operation not permitted', reason: 'Operation not permitted' },
  {
    errors: 'Error: ipv4: FIB table does not exist.\nDump terminated',
    reason: 'Error: ipv4: FIB table does not exist.',
  },
])('any other error is told at once, with its reason: $reason', async ({ errors, reason }) => {
  await expect(readKernel(reader(1_000, `echo '${errors}' >&2; exit 1`))).rejects.toThrow(reason)
  expect(await runs()).toBe(1)
})
