import type { RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'

type T = Translate<'recycleBin'>

export const kindText = ({ kind }: Pick<RecycledItem, 'kind'>, t: T): string => t(`kind.${kind}`)

export function itemStatus({ status, fault }: Pick<RecycledItem, 'status' | 'fault'>, t: T): Status {
  if (status === 'deleting') return { tone: 'busy', text: t('status.deleting') }
  return fault === null ? { tone: 'idle', text: t('status.recycled') } : { tone: 'bad', text: t('status.failed') }
}
