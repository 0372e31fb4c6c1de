import { useState } from 'react'
import { MOST_S3_KEYS, type NewS3Key, type S3Key } from '@mainstay/contract/object-storage/s3-keys'
import { s3Users, type S3User } from '@mainstay/contract/object-storage/s3-users'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Line } from '../../../patterns/Line'
import lines from '../../../patterns/lines.module.css'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { AddIcon, DeleteIcon } from '../../../ui/icons'
import { Dialog } from '../../../ui/overlays/Dialog'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import { SecretDialog } from '../access/SecretDialog'
import { EVERYWHERE } from './everywhere'

/** Another user's access keys. */
export function UserKeys({ user, onClose }: { user: S3User; onClose: () => void }) {
  const t = useT('objectStorage')
  const shell = useT('shell')
  const may = useMay()
  const params = { scope: EVERYWHERE, id: user.id }
  const refresh = [s3Users.keys, s3Users.list]
  const view = useView(s3Users.keys, params)
  const create = useCall(s3Users.createKey, { refresh })
  const remove = useCall(s3Users.deleteKey, { refresh })
  const [made, setMade] = useState<NewS3Key>()
  if (made) return <SecretDialog made={made} onClose={() => setMade(undefined)} />
  const isFull = (view.data?.data.length ?? 0) >= MOST_S3_KEYS
  const ask = ({ acc_key: key, name }: S3Key) =>
    void confirmDelete({
      ...{
        title: t('keys.deleteOne', { name: name ?? key }),
        verb: t('keys.deleteOneVerb'),
        text: t('keys.deleteText'),
      },
      run: () => remove.run({ params: { ...params, key } }),
    })
  return (
    <Dialog
      isOpen
      size="normal"
      title={t('users.keysTitle', { name: user.name })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{t('close')}</Button>
          {may(s3Users.createKey.needs) && (
            <Button
              variant="primary"
              icon={AddIcon}
              isBusy={create.isPending}
              disabledBecause={isFull ? t('users.keyLimit', { most: MOST_S3_KEYS }) : undefined}
              onPress={() => void create.run({ params, body: {} }).then(setMade, () => undefined)}
            >
              {t('keys.add')}
            </Button>
          )}
        </>
      }
    >
      {create.problem && <Banner tone="bad">{problemText(create.problem, shell)}</Banner>}
      <ViewContent view={view}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t('keys.empty')}</p>
          ) : (
            <ul className={lines.list}>
              {data.map((key) => (
                <Line
                  key={key.acc_key}
                  name={<CopyableCode>{key.acc_key}</CopyableCode>}
                  badge={
                    <StatusBadge tone={key.enabled ? 'ok' : 'idle'}>
                      {t(key.enabled ? 'keys.enabled' : 'keys.disabled')}
                    </StatusBadge>
                  }
                  notes={[key.name, <Time key="created" at={key.created_at} />]}
                  action={
                    may(s3Users.deleteKey.needs) && (
                      <Button icon={DeleteIcon} size="small" onPress={() => ask(key)}>
                        {t('keys.delete')}
                      </Button>
                    )
                  }
                />
              ))}
            </ul>
          )
        }
      </ViewContent>
    </Dialog>
  )
}
