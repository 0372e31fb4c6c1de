import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { nodeRegistration, type RegistrationToken } from '@mainstay/contract/infrastructure/node-registration'
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

/** Polling interval for the token, because no event reports that it has been used or has expired. */
const everyMs = 3_000

/** `nodes/add`: shows the command that registers a host, and the progress of the registration. */
export default function AddNode() {
  const t = useT('nodes')
  const go = useAppNavigate()
  const view = useView(nodeRegistration.showToken, {}, { body: {}, everyMs })
  const generate = useCall(nodeRegistration.generateToken, { refresh: [nodeRegistration.showToken] })
  const task = useRegistrationOf(view.data?.used?.node_id)
  const close = () => go(nodePaths.list(), { keepsSearch: true })
  return (
    <Drawer
      isOpen
      title={t('add')}
      onClose={close}
      footer={
        <>
          <span className={css.foot}>{t('add.closing')}</span>
          <Button onPress={close}>{t('close')}</Button>
        </>
      }
    >
      <ViewContent view={view}>
        {(token) => (
          <div className={css.parts}>
            <section className={css.part}>
              <h3>{t('add.run')}</h3>
              {token.command === null ? (
                <Spent token={token} />
              ) : (
                <ShownCommand command={token.command} expiresAt={token.expires_at} warning={token.warning} />
              )}
              <NewCommand
                hasCommand={token.command !== null}
                problem={generate.problem}
                isBusy={generate.isPending}
                onCreate={(ttl) => generate.start({ body: { ttl } })}
              />
            </section>
            <section className={css.part}>
              <h3>{t('add.progress')}</h3>
              <RegistrationProgress task={task} isWaiting={token.command !== null} />
            </section>
          </div>
        )}
      </ViewContent>
    </Drawer>
  )
}

/** Explains why no command is shown: it has been used, has expired, or has not been created yet. */
function Spent({ token: { used, expires_at } }: { token: RegistrationToken }) {
  const t = useT('nodes')
  if (used) return <p>{t('add.used')}</p>
  return <p className={css.dim}>{t(expires_at === null ? 'add.none' : 'add.expired')}</p>
}

/** Returns the task that registers a node. */
function useRegistrationOf(id: string | undefined): Task | undefined {
  const isReadable = useMay()(tasks.list.needs)
  const { rows } = useList(tasks.list, taskKind, {
    ...{ only: { name: 'node.register', subject_id: id ?? '' }, stateIn: 'memory', limit: 1 },
    isEnabled: isReadable && id !== undefined,
  })
  return id === undefined ? undefined : rows[0]
}
