import { useRef, useState } from 'react'
import { asProblem, isCancelled, type CallProblem } from '../../api/problem'
import { problemText } from '../../api/problem-text'
import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { TextField } from '../../ui/fields/TextField'
import { useQuestion, type Question } from './confirm'
import css from './ConfirmDialog.module.css'

/** Shows the questions asked with `confirm()`. Mounted once, in the frame. */
export default function ConfirmDialog() {
  const asked = useQuestion((state) => state.asked)
  return asked ? <Asking key={asked.title} question={asked} onAnswer={asked.answer} /> : null
}

function Asking({ question, onAnswer }: { question: Question; onAnswer: (isConfirmed: boolean) => void }) {
  const t = useT('patterns')
  const shell = useT('shell')
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<CallProblem>()
  const abort = useRef<AbortController>(undefined)

  async function go() {
    if (!question.run) return onAnswer(true)
    const controller = (abort.current = new AbortController())
    setBusy(true)
    setProblem(undefined)
    try {
      await question.run(controller.signal)
      onAnswer(true)
    } catch (thrown) {
      if (isCancelled(thrown)) onAnswer(false)
      else setProblem(asProblem(thrown))
    } finally {
      setBusy(false)
    }
  }

  const isTypedWrong = question.typed !== undefined && typed !== question.typed
  const isOver = problem !== undefined && question.isOverAfterError
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      role="alertdialog"
      title={question.title}
      onClose={() => (isBusy ? abort.current?.abort() : onAnswer(false))}
      footer={
        <>
          {/* the initial focus is on the safe button, so that pressing Enter is harmless */}
          <Button autoFocus onPress={() => (isBusy ? abort.current?.abort() : onAnswer(false))}>
            {t('cancel')}
          </Button>
          <Button
            variant={question.isDanger ? 'danger' : 'primary'}
            isBusy={isBusy}
            isDisabled={isTypedWrong || isOver}
            disabledBecause={question.disabledBecause}
            onPress={() => void go()}
          >
            {question.verb}
          </Button>
        </>
      }
    >
      {(question.text ?? question.typed ?? problem) && (
        <div className={css.body}>
          {question.text}
          {question.typed !== undefined && (
            <TextField label={t('confirm.type', { text: question.typed })} value={typed} onChange={setTyped} />
          )}
          {problem && <Banner tone="bad">{problemText(problem, shell)}</Banner>}
        </div>
      )}
    </Dialog>
  )
}
