import { numberFormat } from './intl-cache'

export const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const
export type ByteUnit = (typeof byteUnits)[number]

/** The number of bytes in one `unit`. */
export const bytesIn = (unit: ByteUnit) => 1024 ** byteUnits.indexOf(unit)

export interface Measured {
  readonly value: string
  readonly unit: string
}

/** The largest unit in which the size is at least 1. */
export function byteUnitFor(sizeBytes: number): ByteUnit {
  let index = 0
  // 1023.95 KiB would round to "1,024 KiB", so it becomes 1 MiB
  for (let size = Math.abs(sizeBytes); size >= 1023.95 && index < byteUnits.length - 1; size /= 1024) index++
  return byteUnits[index] ?? 'B'
}

/**
 * Splits a size into number and unit, base 1024: `{ value: '1.5', unit: 'GiB' }`. Up to three significant digits are
 * shown, or four from 1,000; `unit` fixes the unit so that adjacent numbers can be compared.
 */
export function bytesParts(sizeBytes: number, locale: string, unit: ByteUnit = byteUnitFor(sizeBytes)): Measured {
  const size = sizeBytes / bytesIn(unit)
  const digits = unit === 'B' || Math.abs(size) >= 100 ? 0 : Math.abs(size) >= 10 ? 1 : 2
  return { value: numberFormat(locale, { maximumFractionDigits: digits }).format(size), unit }
}

/**
 * Formats a size, such as "1.5 GiB", with a non-breaking space. In Arabic text the size is isolated so that the unit
 * stays after the number.
 */
export function formatBytes(sizeBytes: number, locale: string, unit?: ByteUnit): string {
  const parts = bytesParts(sizeBytes, locale, unit)
  const size = `${parts.value}\u00a0${parts.unit}`
  return locale.startsWith('ar') ? `\u2066${size}\u2069` : size
}
