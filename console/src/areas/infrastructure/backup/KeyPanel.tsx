import { useState } from 'react'
import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import { managementBackup, type ManagementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { Panel } from '../../../ui/Panel'
import { Mono } from '../../../ui/values/Mono'
import css from './backup.module.css'
import { NewKeyDialog } from './NewKeyDialog'
import { shortKey } from './short-key'

/** Shows the key that encrypts backups, with a button to create a new key. */
export function KeyPanel({ backup }: { backup: ManagementBackup }) {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const format = useFormat()
  const may = useMay()
  const create = useCall(managementBackup.createKey)
  const [made, setMade] = useState<ReplyOf<typeof managementBackup.createKey>>()
  const { key } = backup
  const close = (isConfirmed: boolean) => {
    setMade(undefined)
    const discarded = key ? 'backup.newKey.discarded' : 'backup.newKey.discardedFirst'
    toast(t(isConfirmed ? 'backup.newKey.saved' : discarded))
  }
  return (
    <Panel title={t('backup.key')}>
      <div className={css.stack}>
        {key && (
          <Facts
            rows={[
              [
                t('backup.key.public'),
                <span key="public" title={key.recipient}>
                  <Mono>{shortKey(key.recipient)}</Mono>
                </span>,
              ],
              [
                t('backup.key.created'),
                t('backup.key.createdBy', { time: format.dateTime(key.created_at), name: key.created_by }),
              ],
            ]}
          />
        )}
        <p className={css.note}>{t(key ? 'backup.key.help' : 'backup.key.none')}</p>
        {create.problem && (
          <Banner tone="bad" onClose={create.forget}>
            {problemText(create.problem, shell)}
          </Banner>
        )}
        {may(managementBackup.createKey.needs) && (
          <div>
            <Button isBusy={create.isPending} onPress={() => void create.run({ body: {} }).then(setMade, () => {})}>
              {t(key ? 'backup.key.createNew' : 'backup.key.create')}
            </Button>
          </div>
        )}
      </div>
      {made && <NewKeyDialog made={made} backup={backup} onClose={close} />}
    </Panel>
  )
}
