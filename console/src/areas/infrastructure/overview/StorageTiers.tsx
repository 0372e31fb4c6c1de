import { TIER_FULL, TIER_NEARLY_FULL, type StorageTier } from '@mainstay/contract/infrastructure/tiers'
import type { FailureDomain } from '@mainstay/contract/infrastructure/location-rules'
import { problemText } from '../../../api/problem-text'
import { saidText } from '../../../i18n/said'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { Panel } from '../../../ui/Panel'
import { Mono } from '../../../ui/values/Mono'
import { CapacityBar } from './CapacityBar'
import css from './overview.module.css'
import { PlaceLink } from './PlaceLink'
import { fullText, GROWTH_DAYS, growthText, tierName } from './tier-words'
import type { TiersView } from './use-tiers'

const levels = {
  disk: 'disk',
  host: 'node',
  rack: 'rack',
  row: 'row',
  room: 'room',
} as const satisfies Record<FailureDomain, string>

/** Pages on which parts of the storage cluster are managed. */
const managed = [
  '/settings/encryption',
  '/infrastructure/locations',
  '/infrastructure/recovery-points',
  '/nodes',
] as const

/** The tiers of the storage cluster, and links to the pages on which the cluster is managed. */
export function StorageTiers({ view: { data, problem, reload, isReloading } }: { view: TiersView }) {
  const t = useT('infrastructure')
  const shell = useT('shell')
  return (
    <Panel title={t('tiers.title')}>
      <div className={css.stack}>
        {problem && (
          <ErrorPanel
            title={t('tiers.failed')}
            why={problemText(problem, shell)}
            id={problem.requestId}
            onRetry={reload}
            isRetrying={isReloading}
          />
        )}
        {!data && !problem && <Skeleton width="240px" />}
        {data?.reason && <p className={css.note}>{saidText(data.reason, data.reason.message)}</p>}
        {data?.tiers.map((tier) => (
          <Tier key={`${tier.store} ${tier.tier}`} tier={tier} />
        ))}
        {data && data.tiers.length > 0 && (
          <p className={css.note}>
            {t('tiers.legend', { days: GROWTH_DAYS, near: TIER_NEARLY_FULL, full: TIER_FULL })}
          </p>
        )}
        {data && (
          <nav aria-label={t('tiers.manage')}>
            <h3 className={css.heading}>{t('tiers.manage')}</h3>
            <ul className={css.links}>
              {managed.map((to) => (
                <li key={to}>
                  <PlaceLink to={to} />
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </Panel>
  )
}

function Tier({ tier }: { tier: StorageTier }) {
  const t = useT('infrastructure')
  const format = useFormat()
  const { tier: number, folder, devices, devices_unknown: unknown, used, total, free, copies, growth } = tier
  const { device_classes: classes, failure_domain: domain } = tier
  const name = tierName(tier, t)
  const place =
    classes.length > 0
      ? t('tiers.nameOfClasses', { name, classes: format.list(classes) })
      : t('tiers.nameOn', { tier: number, devices: format.list(devices) })
  return (
    <section aria-label={name} className={css.tier}>
      <CapacityBar
        label={devices.length + classes.length > 0 ? place : name}
        used={used}
        total={total}
        growth={growth}
      />
      <p className={css.note}>{fullText(tier, t, format)}</p>
      <Facts
        rows={[
          [t('tiers.copies'), copies === null ? t('tiers.noPool') : format.number(copies)],
          domain !== null && [t('tiers.failureDomain'), t(`locations.levels.${levels[domain]}`)],
          [t('tiers.encryption'), t(tier.encrypted ? 'tiers.encrypted' : 'tiers.notEncrypted')],
          [t('tiers.free'), format.bytes(free)],
          growth !== null && [t('tiers.growth'), growthText(growth, t, format)],
          folder !== null && [t('tiers.folder'), <Mono key="folder">{folder}</Mono>],
          unknown && [t('tiers.device'), saidText(unknown, unknown.message)],
        ]}
      />
    </section>
  )
}
