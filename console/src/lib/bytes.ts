import { numberFormat } from './intl-cache'

export const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const
export type ByteUnit = (typeof byteUnits)[number]

/** How many bytes one `unit` has. */
export const bytesIn = (unit: ByteUnit) => 1024 ** byteUnits.indexOf(unit)

export interface Measured {
  readonly value: string
  readonly unit: string
}

/** The largest unit in which the size is at least 1. */
export function byteUnitFor(sizeBytes: number): ByteUnit {
  let index = 0
  // 1023.95 KiB would be shown as "1,024 KiB"; it is shown as 1 MiB
  for (let size = Math.abs(sizeBytes); size >= 1023.95 && index < byteUnits.length - 1; size /= 1024) index++
  return byteUnits[index] ?? 'B'
}

/**
 * A size as number and unit, base 1024: `{ value: '1.5', unit: 'GiB' }`. Three significant digits are enough to compare
 * and keep a column quiet; `unit` fixes the unit where two numbers stand beside each other.
 */
export function bytesParts(sizeBytes: number, locale: string, unit: ByteUnit = byteUnitFor(sizeBytes)): Measured {
  const size = sizeBytes / bytesIn(unit)
  const digits = unit === 'B' || Math.abs(size) >= 100 ? 0 : Math.abs(size) >= 10 ? 1 : 2
  return { value: numberFormat(locale, { maximumFractionDigits: digits }).format(size), unit }
}

/**
 * "1.5 GiB"; number and unit never part at the end of a line. Among Arabic words it is isolated, so that the unit stays
 * after the number.
 */
export function formatBytes(sizeBytes: number, locale: string, unit?: ByteUnit): string {
  const parts = bytesParts(sizeBytes, locale, unit)
  const size = `${parts.value}\u00a0${parts.unit}`
  return locale.startsWith('ar') ? `\u2066${size}\u2069` : size
}
