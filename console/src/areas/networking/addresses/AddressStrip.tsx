import { addressText } from '@mainstay/contract/networking/addresses'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { Link } from '../../../nav/Link'
import type { AddressPlan, PlanPart } from './plan'
import css from './AddressStrip.module.css'

interface AddressStripProps {
  plan: AddressPlan
  /** Returns the path of a network's page. Omitted in forms, where following a link would discard the input. */
  to?: ((id: string) => string) | undefined
}

const text = (value: bigint) => addressText({ version: 4, value })
/** Smallest share of the strip at which a part shows its name. In smaller parts, the name would be truncated. */
const NAMED_FROM = 0.05

/** The address without the leading octets that it shares with the start of the plan. */
function shortText(value: bigint, plan: AddressPlan): string {
  const [own, first] = [text(value).split('.'), text(plan.window.first).split('.')]
  const common = own.findIndex((part, at) => part !== first[at])
  return common <= 0 ? own.join('.') : `.${own.slice(common).join('.')}`
}

/** Address ranges drawn to scale: used, selected, overlapping and free. */
export function AddressStrip({ plan, to }: AddressStripProps) {
  const t = useT('networking')
  const nameOf = ({ owners, kind }: PlanPart) =>
    kind === 'own'
      ? t('plan.own')
      : owners.length > 2
        ? t('plan.several', { count: owners.length })
        : owners.map(({ name }) => name).join(', ')
  const saying = (part: PlanPart) => {
    const range = t('plan.fromTo', { first: text(part.first), last: text(part.last) })
    return part.kind === 'free' ? t('plan.freePart', { range }) : t('plan.part', { name: nameOf(part), range })
  }
  const { window } = plan
  const quarter = (window.last - window.first + 1n) / 4n
  return (
    <div className={css.plan} dir="ltr">
      <ol className={css.strip}>
        {plan.parts.map((part) => {
          const [owner] = part.owners
          // the selected range is identified by its colour and the legend
          const name = part.share >= NAMED_FROM && part.kind !== 'own' ? nameOf(part) : ''
          const said = saying(part)
          return (
            <li
              key={String(part.first)}
              className={classes(css.part, css[part.kind])}
              style={{ flexGrow: Math.max(1, Math.round(part.share * 10_000)) }}
              title={said}
            >
              {to && owner && part.owners.length === 1 ? (
                <Link to={to(owner.id)} className={css.name} aria-label={said}>
                  <bdi>{name}</bdi>
                </Link>
              ) : (
                <span className={css.name}>
                  <span aria-hidden="true">{part.kind === 'clash' && name !== '' ? t('plan.clash') : name}</span>
                  <span className={css.said}>{said}</span>
                </span>
              )}
            </li>
          )
        })}
      </ol>
      <div className={css.scale} aria-hidden="true">
        {[0n, 1n, 2n, 3n].map((at) => (
          <span key={String(at)}>{shortText(window.first + at * quarter, plan)}</span>
        ))}
        <span>{shortText(window.last, plan)}</span>
      </div>
    </div>
  )
}

/** Legend for the colours in an address strip. */
export function StripLegend({ hasOwn = false }: { hasOwn?: boolean }) {
  const t = useT('networking')
  return (
    <ul className={css.legend} aria-hidden="true">
      {hasOwn && <li className={classes(css.key, css.own)}>{t('plan.own')}</li>}
      <li className={classes(css.key, css.used)}>{t('plan.used')}</li>
      <li className={classes(css.key, css.free)}>{t('plan.free')}</li>
    </ul>
  )
}
