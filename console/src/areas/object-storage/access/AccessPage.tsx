import { useState } from 'react'
import { MOST_S3_KEYS, s3Keys, type S3Key } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { notifyError } from '../../../notices/notify-error'
import { toast } from '../../../notices/notices'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import { AddLink } from '../../../patterns/AddLink'
import { Facts } from '../../../patterns/Facts'
import { columns } from '../../../patterns/table/columns'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { AddIcon, DeleteIcon, StartIcon, StopIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { useLocalList } from '../../../patterns/local-table/local-list'
import { LocalTable } from '../../../patterns/local-table/LocalTable'
import { s3Paths } from '../paths'
import { S3Page } from '../S3Page'
import { useAccount } from '../use-account'
import css from './access.module.css'

interface KeyRow extends S3Key {
  id: string
}

const column = columns<KeyRow>('objectStorage')
const keyColumns = [
  column.node('acc_key', 'keys.key', ({ acc_key: key }) => <CopyableCode>{key}</CopyableCode>, { width: 270 }),
  column.text('name', 'keys.name', { width: 160 }),
  column.status(
    'enabled',
    'keys.status',
    ({ enabled }, t) => ({
      tone: enabled ? 'ok' : 'idle',
      text: t(enabled ? 'keys.enabled' : 'keys.disabled'),
    }),
    { width: 120 },
  ),
  column.time('last_used_at', 'keys.lastUsed', { width: 130 }),
  column.created('created_at', { width: 130 }),
]
/** Columns for engines that do not report when a key was last used. */
const columnsWithoutUse = keyColumns.filter(({ id }) => id !== 'last_used_at')
const sortBy = {
  acc_key: ({ acc_key: key }: KeyRow) => key,
  name: ({ name }: KeyRow) => name,
  last_used_at: ({ last_used_at: at }: KeyRow) => at,
  created_at: ({ created_at: at }: KeyRow) => at,
}

/** `s3-storage/access`: the S3 endpoint and the user's access keys. */
export default function AccessPage() {
  const t = useT('objectStorage')
  const may = useMay()
  const account = useAccount()
  const service = useView(s3Service.view, {})
  const { disabling_keys: canDisable = false, key_use: isUseTold = true } = service.data?.capabilities ?? {}
  const update = useCall(s3Keys.update, { refresh: [s3Keys.account] })
  const remove = useCall(s3Keys.delete, { refresh: [s3Keys.account] })
  const [changing, setChanging] = useState<string>()
  const list = useLocalList({
    ...{ name: 's3_key', sortBy, start: { key: 'created_at', direction: 'asc' } as const },
    rows: account.data?.keys.map((key) => ({ ...key, id: key.acc_key })),
    ...{ problem: account.problem, staleSince: account.staleSince, reload: account.reload },
  })
  const isFull = (account.data?.keys.length ?? 0) >= MOST_S3_KEYS

  async function enable(key: string, enabled: boolean) {
    setChanging(key)
    try {
      await update.run({ params: { key }, body: { enabled } })
      toast(t(enabled ? 'keys.wasEnabled' : 'keys.wasDisabled', { key }))
    } catch (thrown) {
      notifyError(thrown)
    } finally {
      setChanging(undefined)
    }
  }
  const actions = ({ acc_key: key, enabled, name }: KeyRow): RowAction[] => [
    ...(canDisable && may(s3Keys.update.needs)
      ? [
          {
            label: t(enabled ? 'keys.disable' : 'keys.enable'),
            icon: enabled ? StopIcon : StartIcon,
            disabledBecause: changing === key ? t('keys.changing') : undefined,
            run: () => void enable(key, !enabled),
          },
        ]
      : []),
    ...(may(s3Keys.delete.needs)
      ? [
          {
            label: t('keys.delete'),
            icon: DeleteIcon,
            group: 'delete' as const,
            isDanger: true,
            run: () =>
              void confirmDelete({
                ...{
                  title: t('keys.deleteOne', { name: name ?? key }),
                  verb: t('keys.deleteOneVerb'),
                  text: t('keys.deleteText'),
                },
                run: () => remove.run({ params: { key } }),
              }),
          },
        ]
      : []),
  ]
  const add = isFull ? (
    <Button icon={AddIcon} variant="primary" disabledBecause={t('keys.limit', { most: MOST_S3_KEYS })}>
      {t('keys.add')}
    </Button>
  ) : (
    <AddLink to={s3Paths.createKey()} needs={s3Keys.create.needs}>
      {t('keys.add')}
    </AddLink>
  )
  return (
    <S3Page title={t('access.title')} actions={may(s3Keys.create.needs) && add}>
      <p className={css.note}>{t('access.note')}</p>
      <LocalTable
        list={list}
        label={t('keys.many')}
        count={account.data && t('keys.count', { count: account.data.keys.length, most: MOST_S3_KEYS })}
        columns={isUseTold ? keyColumns : columnsWithoutUse}
        actions={actions}
        empty={t('keys.empty')}
        emptyAction={add}
      />
      {isFull && <p className={css.note}>{t('keys.limit', { most: MOST_S3_KEYS })}</p>}
      <Panel title={t('access.connect')} className={css.connect}>
        <Facts
          rows={[
            [
              t('access.endpoint'),
              service.data &&
                (service.data.endpoint ? <CopyableCode>{service.data.endpoint}</CopyableCode> : t('access.noEndpoint')),
            ],
            [t('access.arn'), account.data && <CopyableCode>{account.data.arn}</CopyableCode>],
            [t('access.region'), t('access.regionText')],
          ]}
        />
      </Panel>
    </S3Page>
  )
}
