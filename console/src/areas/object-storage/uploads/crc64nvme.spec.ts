import { expect, it } from 'vitest'
import { crc64nvme, crcOfBlob } from './crc64nvme'

const hexOf = (base64: string) =>
  [...atob(base64)].map((sign) => sign.charCodeAt(0).toString(16).padStart(2, '0')).join('')

/** Reference implementation, one bit at a time. */
function slowly(bytes: Uint8Array): string {
  let crc = 0xff_ff_ff_ff_ff_ff_ff_ffn
  for (const byte of bytes) {
    crc ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0x9a_6c_93_29_ac_4b_c9_b5n : crc >> 1n
  }
  return (crc ^ 0xff_ff_ff_ff_ff_ff_ff_ffn).toString(16).padStart(16, '0')
}

it('matches the check value of the CRC catalogue', () => {
  const crc = crc64nvme()
  crc.update(new TextEncoder().encode('123456789'))
  expect(hexOf(crc.base64())).toBe('ae8b14860a799888')
  expect(hexOf(crc64nvme().base64())).toBe('0000000000000000')
})

it('matches the reference implementation, regardless of where the input is split', async () => {
  const bytes = Uint8Array.from({ length: 1003 }, (_, at) => (at * 167 + (at >> 3)) & 0xff)
  for (const cut of [0, 1, 7, 8, 9, 500, 1003]) {
    const crc = crc64nvme()
    crc.update(bytes.subarray(0, cut))
    crc.update(bytes.subarray(cut))
    expect(hexOf(crc.base64())).toBe(slowly(bytes))
  }
  expect(hexOf(await crcOfBlob(new Blob([bytes])))).toBe(slowly(bytes))
})
