import { expect, test } from 'vitest'
import { bytesToGib, GiB, gibToBytes, MiB, TiB } from './bytes'

test('converts GiB to bytes by multiplying by 1024^3 [VA-066]', () => {
  expect([MiB, GiB, TiB]).toEqual([1_048_576, 1_073_741_824, 1_099_511_627_776])
  expect(gibToBytes(1)).toBe(1_073_741_824)
  expect(gibToBytes(512)).toBe(549_755_813_888)
  // forms accept fractions of a GiB, but bytes are whole numbers
  expect(gibToBytes(0.1)).toBe(107_374_182)
  for (const gib of [1, 7, 500, 524_288]) expect(bytesToGib(gibToBytes(gib))).toBe(gib)
})
