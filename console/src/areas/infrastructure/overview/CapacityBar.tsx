import { Label } from 'react-aria-components/Label'
import { Meter } from 'react-aria-components/Meter'
import { TIER_FULL, TIER_NEARLY_FULL } from '@mainstay/contract/infrastructure/tiers'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { clamp } from '../../../lib/numbers'
import { GROWTH_DAYS, tierTone } from './tier-words'
import tones from '../../../ui/tone.module.css'
import css from './CapacityBar.module.css'

interface CapacityBarProps {
  label: string
  /** Sizes in bytes. */
  used: number
  total: number
  /** Change per day, in bytes; null if it is not known. A decrease is not drawn. */
  growth: number | null
}

const marks = [TIER_NEARLY_FULL, TIER_FULL]

/** Shows the used space of a tier and its growth within the next days, with marks where it is nearly full and full. */
export function CapacityBar({ label, used, total, growth }: CapacityBarProps) {
  const t = useT('infrastructure')
  const format = useFormat()
  const partOf = (bytes: number) => (total > 0 ? clamp(bytes / total, 0, 1) * 100 : 0)
  const tone = tierTone({ used, total })
  const usedPart = partOf(used)
  const expected = Math.max(0, growth ?? 0) * GROWTH_DAYS
  const grown = Math.min(100 - usedPart, partOf(expected))
  const amount = t('tiers.used', { used: format.bytes(used), total: format.bytes(total) })
  const more = t('tiers.grows', { size: format.bytes(expected), days: GROWTH_DAYS })
  return (
    <Meter
      className={classes(css.meter, tone !== 'ok' && css.alarming, tones[tone])}
      value={used}
      maxValue={total}
      valueLabel={expected > 0 ? `${amount}, ${more}` : amount}
    >
      <div className={css.words}>
        <Label className={css.label ?? ''}>{label}</Label>
        <bdi>{amount}</bdi>
      </div>
      <div className={css.track}>
        <div className={css.used} style={{ inlineSize: `${usedPart}%` }} />
        {grown > 0 && <div className={css.growth} style={{ inlineSize: `${grown}%` }} />}
        {marks.map((mark) => (
          <div key={mark} className={css.mark} style={{ insetInlineStart: `${mark * 100}%` }} />
        ))}
      </div>
    </Meter>
  )
}
