import {
  impactParts,
  type ImpactPart,
  type ImpactResult,
  type ImpactRow,
} from '@mainstay/contract/infrastructure/impact'
import type { Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import type { Tone } from '../../../ui/tone'

type T = Translate<'infrastructure'>

export const resultTones: Readonly<Record<ImpactResult, Tone>> = {
  lost: 'bad',
  interrupted: 'warn',
  unknown: 'idle',
  stays: 'ok',
}

/** Page on which an operator can follow a piece of advice, by the key of its sentence. */
export const helpPaths: Readonly<Record<string, string>> = {
  'infrastructure.impact_help_backup': '/infrastructure/backup',
  'infrastructure.impact_help_backup_old': '/infrastructure/backup',
  'infrastructure.impact_help_backup_place': '/infrastructure/backup',
  'infrastructure.impact_help_points': '/compute/backup-plans',
  'infrastructure.impact_help_restart': '/compute/instances',
  'infrastructure.impact_help_target': '/infrastructure/recovery-points',
}

/** Returns the name and the type of the object that fails. */
export function thingOf({ kind, id, name }: Pick<ImpactRow, 'kind' | 'id' | 'name'>, t: T) {
  if (kind === 'tier') return { name: t('impact.tier'), note: t('impact.tier.note', { tier: id }) }
  if (kind === 'database') return { name: t('impact.database'), note: t('impact.database.note') }
  return { name, note: t(`locations.level.${kind}`) }
}

const inText = (part: ImpactPart): Key<'infrastructure'> => `impact.in.${part}`

/** Summarizes the worst effects of a failure in a few words. */
export function summaryOf(row: ImpactRow, t: T, list: (items: string[]) => string): { tone: Tone; text: string } {
  const having = (result: ImpactResult) => impactParts.filter((part) => row[part].result === result)
  const [lost, interrupted, unknown] = [having('lost'), having('interrupted'), having('unknown')]
  const words = (some: readonly ImpactPart[]) => ({ parts: list(some.map((part) => t(inText(part)))) })
  if (lost.length > 0) return { tone: 'bad', text: t('impact.is.lost', words(lost)) }
  if (interrupted.length === impactParts.length) return { tone: 'warn', text: t('impact.is.all') }
  if (interrupted.length > 0) return { tone: 'warn', text: t('impact.is.interrupted', words(interrupted)) }
  if (unknown.length > 0) return { tone: 'idle', text: t('impact.is.unknown', words(unknown)) }
  return { tone: 'ok', text: t('impact.is.stays') }
}

const weights: Readonly<Record<ImpactResult, number>> = { lost: 3, interrupted: 2, unknown: 1, stays: 0 }

/**
 * Returns a number for the severity of a failure, for sorting: by its effects, then by the number of affected virtual
 * machines.
 */
function badness(row: ImpactRow): number {
  const machines = row.machines.said.values['count']
  return impactParts.reduce((sum, part) => sum + weights[row[part].result] * 1e6, 0) + Number(machines ?? 0)
}

/** Sorts failures by severity, worst first. */
export const worstFirst = (rows: readonly ImpactRow[]): ImpactRow[] => rows.toSorted((a, b) => badness(b) - badness(a))
