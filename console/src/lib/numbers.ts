import { numberFormat } from './intl-cache'

export const formatNumber = (value: number, locale: string, options?: Intl.NumberFormatOptions) =>
  numberFormat(locale, options).format(value)

/** Formats a fraction from 0 to 1 as a percentage, by default with up to two decimal places: 0.12345 is "12.35%". */
export const formatPercent = (share: number, locale: string, digits = 2) =>
  numberFormat(locale, { style: 'percent', maximumFractionDigits: digits }).format(share)

export const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
