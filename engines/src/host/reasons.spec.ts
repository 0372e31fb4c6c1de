import { expect, test } from 'vitest'
import { reasonIn } from './reasons'

test.for([
  {
    program: 'mount',
    errors:
      'mount: /run/netns: permission denied.\n       dmesg(1) may have more information after failed mount system call.\n',
    reason: 'mount: /run/netns: permission denied.',
  },
  {
    program: 'ip',
    errors: 'Error: ipv4: FIB table does not exist.\nDump terminated\n',
    reason: 'Error: ipv4: FIB table does not exist.',
  },
  {
    program: 'nft',
    errors: '/dev/stdin:1:1-9: Error: No such file or directory\nadd chain inet t c\n^^^^^^^^^ ^^^^\n',
    reason: '/dev/stdin:1:1-9: Error: No such file or directory add chain inet t c',
  },
  { program: 'a quiet program', errors: ' \n\n', reason: '' },
])('the reason of $program is the cause, without hints', ({ errors, reason }) => {
  expect(reasonIn(errors)).toBe(reason)
})

test('a reason is bounded', () => {
  expect(reasonIn('a very long line '.repeat(10_000)).length).toBeLessThanOrEqual(400)
})
