import { useLocale } from 'react-aria-components/I18nProvider'
import { bytesParts, type ByteUnit } from '../../lib/bytes'
import { formatNumber } from '../../lib/numbers'
import css from './Bytes.module.css'

/** A size such as "1.5 GiB" with a dimmed unit and the exact number on hover. `unit` fixes the unit within a column. */
export function Bytes({ of, unit }: { of: number; unit?: ByteUnit | undefined }) {
  const { locale } = useLocale()
  const parts = bytesParts(of, locale, unit)
  return (
    <bdi dir="ltr" className={css.size} title={`${formatNumber(of, locale)} B`}>
      {parts.value}
      <span className={css.unit}>{`\u00a0${parts.unit}`}</span>
    </bdi>
  )
}

/** A number with a dimmed unit: `<Amount of={4} unit="vCPU" />`. */
export function Amount({ of, unit }: { of: number; unit?: string | undefined }) {
  const { locale } = useLocale()
  return (
    <bdi dir="ltr" className={css.size}>
      {formatNumber(of, locale)}
      {unit && <span className={css.unit}>{`\u00a0${unit}`}</span>}
    </bdi>
  )
}
