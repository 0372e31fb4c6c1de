import { TIER_FULL, TIER_NEARLY_FULL, type StorageTier } from '@mainstay/contract/infrastructure/tiers'
import { saidText } from '../../../i18n/said'
import type { Formats } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'
import type { Tone } from '../../../ui/tone'

/** Period of the growth that is drawn, in days. */
export const GROWTH_DAYS = 30

/** Returns the name of a tier. */
export const tierName = (
  { tier, store }: Pick<StorageTier, 'tier' | 'store'>,
  t: Translate<'infrastructure'>,
): string => t(store === 'ceph' ? 'tiers.nameInCeph' : 'tiers.name', { tier })

const shareOf = ({ used, total }: Pick<StorageTier, 'used' | 'total'>): number => (total > 0 ? used / total : 0)

/** Returns how full a tier is: above 80% it needs attention, and above 95% it counts as full. */
export function tierTone(tier: Pick<StorageTier, 'used' | 'total'>): Tone {
  const share = shareOf(tier)
  return share >= TIER_FULL ? 'bad' : share >= TIER_NEARLY_FULL ? 'warn' : 'ok'
}

/** Returns when a tier will be full, or why this is not known. */
export function fullText(tier: StorageTier, t: Translate<'infrastructure'>, format: Formats): string {
  const { growth, growth_unknown: unknown, full_at: at } = tier
  if (shareOf(tier) >= TIER_FULL) return t('tiers.full', { share: TIER_FULL })
  if (unknown !== null) return saidText(unknown, unknown.message)
  if (at !== null) return t('tiers.fullAt', { share: TIER_FULL, date: format.date(at), when: format.relative(at) })
  return growth !== null && growth > 0 ? t('tiers.fullLate', { share: TIER_FULL }) : t('tiers.notGrowing')
}

/** Returns the change of the used space per day. */
export function growthText(bytes: number, t: Translate<'infrastructure'>, format: Formats): string {
  if (bytes === 0) return t('tiers.growth.none')
  return t(bytes > 0 ? 'tiers.growth.more' : 'tiers.growth.less', { size: format.bytes(Math.abs(bytes)) })
}

/** Returns the tier that is full first: by how full it is, then by its date. */
export function firstFull(tiers: readonly StorageTier[]): StorageTier | undefined {
  const timeOf = ({ full_at: at }: StorageTier) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))
  return tiers.toSorted((a, b) => (timeOf(a) === timeOf(b) ? shareOf(b) - shareOf(a) : timeOf(a) - timeOf(b)))[0]
}
