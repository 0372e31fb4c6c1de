import { unknownTime } from '@mainstay/contract/core/names'
import type { Translate } from '../../i18n/use-t'
import { CopyableCode } from '../../ui/values/CopyableCode'
import { Time } from '../../ui/values/Time'
import type { FactsProps } from '../Facts'

/** Common object fields; each may be absent. */
interface Standard {
  id: string
  created_at?: string | null
  updated_at?: string | null
  project_id?: string | null
  domain_id?: string | null
}

const isTold = (at: string | null | undefined): boolean => at !== undefined && at !== unknownTime

/** The last rows in the details: times, owner in a system scope, and ID. */
export function standardFacts(item: Standard, t: Translate<'patterns'>, isAllTenants: boolean): FactsProps['rows'] {
  const code = (value: string | null | undefined) => value && <CopyableCode>{value}</CopyableCode>
  const time = (at: string | null | undefined) => at && <Time at={at} show="both" />
  return [
    isTold(item.created_at) && [t('table.created'), time(item.created_at)],
    isTold(item.updated_at) && [t('table.updated'), time(item.updated_at)],
    isAllTenants && item.project_id !== undefined && [t('table.project'), code(item.project_id)],
    isAllTenants && item.domain_id !== undefined && [t('table.domain'), code(item.domain_id)],
    [t('table.id'), code(item.id)],
  ]
}
