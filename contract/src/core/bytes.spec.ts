import { expect, test } from 'vitest'
import { bytesToGib, GiB, gibToBytes, KiB, MiB, TiB } from './bytes'

test('a size in GiB is sent multiplied by 1024^3 [VA-066]', () => {
  expect([KiB, MiB, GiB, TiB]).toEqual([1024, 1024 ** 2, 1024 ** 3, 1024 ** 4])
  expect(gibToBytes(1)).toBe(1_073_741_824)
  expect(gibToBytes(512)).toBe(512 * 1024 ** 3)
  // a form may hold half a GiB, a byte is whole
  expect(gibToBytes(0.1)).toBe(107_374_182)
  for (const gib of [1, 7, 500, 524_288]) expect(bytesToGib(gibToBytes(gib))).toBe(gib)
})
