import { useState } from 'react'
import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { useCall } from '../../../../api/use-call'
import { useList } from '../../../../api/use-list'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { useMay } from '../../../../session/may'
import { Button } from '../../../../ui/Button'
import { Drawer } from '../../../../ui/overlays/Drawer'
import { nodePaths } from '../paths'
import { NewCommand } from './NewCommand'
import { RegistrationProgress } from './RegistrationProgress'
import { ShownCommand } from './ShownCommand'
import css from './registration.module.css'

/** How often to look whether the token has been used or has expired, which has no event. */
const everyMs = 3_000
export const REGISTRATION_TASK = 'node.register'

/** `nodes/add`: the command that registers a host, and the progress of the registration. */
export default function AddNode() {
  const t = useT('nodes')
  const go = useAppNavigate()
  const [openedAt] = useState(() => Date.now())
  // whether a command was shown here, so that its absence means that it was used or has expired
  const [shown, setShown] = useState<{ expires_at: string | null }>()
  const view = useView(nodeRegistration.showToken, {}, { body: {}, everyMs })
  const generate = useCall(nodeRegistration.generateToken, { refresh: [nodeRegistration.showToken] })
  const task = useRegistrationSince(openedAt)
  const { data } = view
  if (data?.command && shown?.expires_at !== data.expires_at) setShown({ expires_at: data.expires_at })
  const close = () => go(nodePaths.list(), { keepsSearch: true })
  return (
    <Drawer isOpen title={t('add')} onClose={close} footer={<Foot onClose={close} />}>
      <div className={css.parts}>
        <section className={css.part}>
          <h3>{t('add.run')}</h3>
          <ViewContent view={view}>
            {(token) => (
              <>
                {token.command === null ? (
                  <Spent expiresAt={shown?.expires_at} />
                ) : (
                  <ShownCommand command={token.command} expiresAt={token.expires_at} />
                )}
                <NewCommand
                  hasCommand={token.command !== null}
                  problem={generate.problem}
                  isBusy={generate.isPending}
                  onCreate={(ttl) => generate.start({ body: { ttl } })}
                />
              </>
            )}
          </ViewContent>
        </section>
        <section className={css.part}>
          <h3>{t('add.progress')}</h3>
          <RegistrationProgress task={task} isWaiting={data?.command != null} />
        </section>
      </div>
    </Drawer>
  )
}

function Foot({ onClose }: { onClose: () => void }) {
  const t = useT('nodes')
  return (
    <>
      <span className={css.foot}>{t('add.closing')}</span>
      <Button onPress={onClose}>{t('close')}</Button>
    </>
  )
}

/** Why there is no command: it was used, it has expired, or none was created yet. */
function Spent({ expiresAt }: { expiresAt: string | null | undefined }) {
  const t = useT('nodes')
  if (expiresAt === undefined) return <p className={css.dim}>{t('add.none')}</p>
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return <p role="status">{t(isExpired ? 'add.expired' : 'add.used')}</p>
}

/** The latest registration since a time. */
function useRegistrationSince(time: number): Task | undefined {
  const { rows } = useList(tasks.list, taskKind, {
    ...{ only: { name: REGISTRATION_TASK }, stateIn: 'memory', limit: 1, isEnabled: useMay()(tasks.list.needs) },
  })
  const [latest] = rows
  return latest && Date.parse(latest.created_at) >= time ? latest : undefined
}
