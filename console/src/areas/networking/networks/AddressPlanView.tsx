import { rangeText } from '@mainstay/contract/networking/addresses'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Mono } from '../../../ui/values/Mono'
import { AddressStrip, StripLegend } from '../addresses/AddressStrip'
import { addressPlans } from '../addresses/plan'
import { useTakenRanges } from './RangeField'
import css from './networks.module.css'
import { networkResource } from './resource'

/** Maximum number of plans shown above a list. */
const MOST_PLANS = 3

/** A project's address plans, drawn to scale with the free space. */
export function AddressPlanView() {
  const t = useT('networking')
  const format = useFormat()
  const plans = addressPlans(useTakenRanges())
  if (plans.length === 0) return null
  return (
    <section className={css.plans} aria-label={t('plan.title')}>
      {plans.slice(0, MOST_PLANS).map((plan, at) => {
        const { window, free, largestFree } = plan
        const size = window.last - window.first + 1n
        return (
          <div key={String(window.first)} className={css.plan}>
            <header className={css.planHead}>
              {at === 0 && <strong>{t('plan.title')}</strong>}
              <Mono>{rangeText(window)}</Mono>
              <span className={css.dim}>
                {t('plan.freeOf', { free: format.number(Number(free)), total: format.number(Number(size)) })}
              </span>
              {largestFree && <span className={css.dim}>{t('plan.largest', { cidr: rangeText(largestFree) })}</span>}
              {at === 0 && (
                <span className={css.legend}>
                  <StripLegend />
                </span>
              )}
            </header>
            <AddressStrip plan={plan} to={networkResource.paths.view} />
          </div>
        )
      })}
      {plans.length > MOST_PLANS && <p className={css.dim}>{t('plan.more', { count: plans.length - MOST_PLANS })}</p>}
    </section>
  )
}
