import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import type { Notice, NoticeAction } from '../../notices/notice-types'
import { subjectOf } from '../../notices/task-words'
import { Facts } from '../../patterns/Facts'
import { Button } from '../../ui/Button'
import { Disclosure } from '../../ui/Disclosure'
import { Dialog } from '../../ui/overlays/Dialog'
import { CodeBlock } from '../../ui/values/CodeBlock'
import { CopyableCode } from '../../ui/values/CopyableCode'
import { CopyButton } from '../../ui/values/CopyButton'
import { Mono } from '../../ui/values/Mono'
import css from './NoticeDetails.module.css'

interface NoticeDetailsProps {
  notice: Notice
  onAction: (action: NoticeAction) => void
  onClose: () => void
}

/**
 * Dialog with all details of a notification: the full reason, the attempted task and the IDs that the support team
 * needs.
 */
export default function NoticeDetails({ notice, onAction, onClose }: NoticeDetailsProps) {
  const t = useT('notices')
  const format = useFormat()
  const { title, message, timestamp, task, type } = notice
  const request = notice.requestId ?? task?.request_id
  const subject = task && subjectOf(task)
  // task arguments never contain secrets (contract/src/core/tasks.ts)
  const given = task && JSON.stringify({ args: task.args, kwargs: task.kwargs }, null, 2)
  const lines: readonly (readonly [string, string | null | undefined])[] = [
    [t('details.when'), new Date(timestamp).toISOString()],
    [t('details.task'), task?.name],
    [t('details.taskId'), task?.id],
    [t('details.object'), subject && `${subject.kind} ${subject.id} (${subject.name})`],
    [t('details.code'), task?.err_code],
    [t('details.request'), request],
  ]
  const forSupport = [title, message, ...lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])), given]
  return (
    <Dialog
      isOpen
      size="normal"
      role={type === 'error' ? 'alertdialog' : 'dialog'}
      title={title}
      onClose={onClose}
      footer={
        <>
          <CopyButton size="normal" value={forSupport.filter(Boolean).join('\n')}>
            {t('details.copy')}
          </CopyButton>
          {notice.actions.map((action) => (
            <Button key={action.name} onPress={() => onAction(action)}>
              {action.label}
            </Button>
          ))}
          <Button autoFocus onPress={onClose}>
            {t('details.close')}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        {message && <p className={css.message}>{message}</p>}
        <Facts
          rows={[
            [t('details.when'), type === 'progress' ? t('details.goesOn') : format.exact(timestamp)],
            subject && [t('details.object'), subject.name],
            task && [t('details.task'), <Mono key="task">{task.name}</Mono>],
            task?.err_code ? [t('details.code'), <Mono key="code">{task.err_code}</Mono>] : null,
            request ? [t('details.request'), <CopyableCode key="request">{request}</CopyableCode>] : null,
            task && [t('details.taskId'), <CopyableCode key="id">{task.id}</CopyableCode>],
          ]}
        />
        {given && (
          <Disclosure title={t('details.arguments')}>
            <CodeBlock label={t('details.arguments')}>{given}</CodeBlock>
          </Disclosure>
        )}
      </div>
    </Dialog>
  )
}
