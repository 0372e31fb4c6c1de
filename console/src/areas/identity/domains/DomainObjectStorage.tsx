import { useState } from 'react'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { call } from '../../../api/call'
import { isCancelled } from '../../../api/problem'
import { refresh } from '../../../api/use-call'
import { TaskFailed, waitForTask } from '../../../api/wait-for-task'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { expectTasks } from '../../../notices/expected-tasks'
import { notifyError } from '../../../notices/notify-error'
import { useMay } from '../../../session/may'
import { Switch } from '../../../ui/fields/Switch'
import css from './DomainProperties.module.css'

/**
 * Enables or disables object storage for a domain and waits for the task. Renders nothing if there is no object
 * storage.
 */
export function DomainObjectStorage({ domainId }: { domainId: string }) {
  const t = useT('identity')
  const may = useMay()
  const mayLook = may(s3Service.domainStatus.needs)
  const service = useView(s3Service.view, {}, { isEnabled: mayLook })
  const isThere = service.data?.s3_enabled === true
  const { data } = useView(s3Service.domainStatus, { domain_id: domainId }, { isEnabled: mayLook && isThere })
  const [wanted, setWanted] = useState<boolean>()
  if (!data || !isThere) return null

  async function turn(enabled: boolean) {
    setWanted(enabled)
    try {
      const reply = await call(s3Service.setDomainStatus, { params: { domain_id: domainId }, body: { enabled } })
      expectTasks(undefined, reply)
      await waitForTask(reply.task_id)
    } catch (thrown) {
      if (!isCancelled(thrown))
        notifyError(
          // report the task's own reason if it has one, otherwise a generic failure
          thrown instanceof TaskFailed && thrown.message === '' ? new Error(t('domains.s3Failed')) : thrown,
          t('domains.s3Failed'),
        )
    }
    await refresh([s3Service.domainStatus])
    setWanted(undefined)
  }

  return (
    <section className={css.part} aria-label={t('domains.s3')}>
      <Switch
        isSelected={wanted ?? data.enabled}
        isDisabled={wanted !== undefined || !may(s3Service.setDomainStatus.needs)}
        onChange={(enabled) => void turn(enabled)}
        help={t('domains.s3Help')}
      >
        {t('domains.s3')}
      </Switch>
    </section>
  )
}
