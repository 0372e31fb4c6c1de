import { tasks, type Task, type TaskQuestion as Question } from '@mainstay/contract/core/tasks'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { choiceText, questionText } from '../../../notices/task-words'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import css from './TaskPage.module.css'

/** A question that a task is waiting on: its options, the deadline, and the default answer used after the deadline. */
export function TaskQuestion({ task, question }: { task: Task; question: Question }) {
  const t = useT('tasks')
  const shell = useT('shell')
  const format = useFormat()
  const may = useMay()
  const answer = useCall(tasks.answer, { refresh: [tasks.view, tasks.list] })
  const { id, choices, otherwise, deadline } = question
  const at = format.exact(deadline)
  return (
    <Banner tone="warn" title={t('list.waitsForYou')}>
      <p>{questionText(task, question, t)}</p>
      <p>
        {otherwise === null
          ? t('question.failsAt', { at })
          : t('question.otherwiseAt', { at, choice: choiceText(task, otherwise, t) })}
      </p>
      {may(tasks.answer.needs) && (
        <div className={css.choices} role="group" aria-label={t('question.choices')}>
          {choices.map((choice) => (
            <Button
              key={choice}
              isBusy={answer.isPending}
              onPress={() => answer.start({ params: { id: task.id }, body: { question: id, choice } })}
            >
              {choiceText(task, choice, t)}
            </Button>
          ))}
        </div>
      )}
      {answer.problem && <p role="alert">{problemText(answer.problem, shell)}</p>}
    </Banner>
  )
}
