import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import type { Resources } from '@mainstay/contract/resources'
import { catalogueNow, type Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'
import type { Tone } from '../../../ui/tone'

type T = Translate<'audit'>

/** Names of the calls that the audit log records: changes, calls marked with `isAct`, and downloads. */
type ActOf<Calls> = {
  [Name in keyof Calls & string]: Calls[Name] extends { isAct: false } | { verb: 'POST'; needs: { ability: 'read' } }
    ? never
    : Calls[Name] extends { verb: 'GET' }
      ? Calls[Name] extends { isAct: true } | { bytes: 'out' }
        ? Name
        : never
      : Name
}[keyof Calls & string]
/** Text keys for every recorded action and every kind of object. */
type NeededKey = {
  [Name in keyof Resources]:
    | `act.${ActOf<Resources[Name]['calls']>}`
    | (Resources[Name] extends { kind: { name: infer Kind extends string } }
        ? [ActOf<Resources[Name]['calls']>] extends [never]
          ? never
          : `type.${Kind}`
        : never)
}[keyof Resources]
/** Fails to compile if the catalogue lacks a string, and names the missing key. */
type Complete<Missing extends never> = Key<'audit'> & (Missing extends never ? unknown : never)
type AuditKey = Complete<Exclude<NeededKey, Key<'audit'>>>

// the English catalogue is complete and always loaded
const known = (key: string): AuditKey | null => (key in (catalogueNow('en', 'audit') ?? {}) ? (key as AuditKey) : null)

/**
 * Turns `attachVolume` into "attach volume". Used for actions from a newer server that this console has no text for.
 */
const asWords = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Display name of an object type, such as "Virtual machine". */
export function typeText(type: string, t: T): string {
  const key = known(`type.${type}`)
  return key ? t(key) : capital(asWords(type))
}

/** The action that a bulk run performs on its objects; null if the entry is not a bulk run. */
function runOf({ activity, changes = [] }: Activity): Activity | null {
  const sent = (name: string) => changes.find(({ field }) => field === name)?.to
  const [type, action] = [sent('kind'), sent('action')]
  return activity === 'bulk_run.create' && type && action ? { type, activity: `${type}.${action}` } : null
}

type Activity = Pick<AuditLine, 'type' | 'activity'> & Partial<Pick<AuditLine, 'changes'>>

/** Display text for an activity, such as "Virtual machine: start". */
export function activityText(line: Activity, t: T): string {
  const { type, activity } = runOf(line) ?? line
  const act = activity.slice(type.length + 1)
  const key = known(`act.${act}`)
  return t('activity.text', { type: typeText(type, t), act: key ? t(key) : asWords(act) })
}

const results: Readonly<Record<AuditLine['result'], readonly [Tone, Key<'audit'>]>> = {
  success: ['ok', 'result.success'],
  error: ['bad', 'result.error'],
  unknown: ['warn', 'result.unknown'],
}

export function resultStatus({ result }: Pick<AuditLine, 'result'>, t: T): Status {
  const [tone, key] = results[result]
  return { tone, text: t(key) }
}
