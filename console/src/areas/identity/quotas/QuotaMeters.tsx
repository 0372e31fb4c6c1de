import type { QuotaName } from '@mainstay/contract/all-quotas'
import { useT } from '../../../i18n/use-t'
import { QuotaMeter } from '../../../patterns/QuotaMeter'
import type { Amounts } from './limits-form'
import css from './QuotaMeters.module.css'
import { quotaLabel } from './quota-words'

/** A usage meter for each limit. */
export function QuotaMeters({ names, amounts }: { names: readonly QuotaName[]; amounts: Amounts }) {
  const t = useT('identity')
  return (
    <div className={css.meters}>
      {names.map((name) => (
        <QuotaMeter key={name} name={name} label={quotaLabel(name, t)} quota={amounts[name]} added={0} />
      ))}
    </div>
  )
}
