import { useEffect, useRef, useState } from 'react'
import { instances } from '@mainstay/contract/compute/instances'
import { callForText, saveAsFile } from '../../../../api/transfers/download'
import { asProblem, isCancelled, type CallProblem } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { useT } from '../../../../i18n/use-t'
import { Banner } from '../../../../ui/feedback/Banner'
import { Button } from '../../../../ui/Button'
import { DownloadIcon, RefreshIcon } from '../../../../ui/icons'
import { Switch } from '../../../../ui/fields/Switch'
import type { InstanceTabProps } from './tab-props'
import { plainLog, tailOf } from './log-text'
import css from './InstanceLog.module.css'

const shownLines = 200
const everyMs = 3000

/** The end of the guest's serial console log (I8: at most 1 MiB). */
export default function InstanceLog({ instance: { id, name } }: InstanceTabProps) {
  const t = useT('instance')
  const shell = useT('shell')
  const [text, setText] = useState<string>()
  const [problem, setProblem] = useState<CallProblem>()
  const [asked, setAsked] = useState(0)
  const [isFollowing, setFollowing] = useState(false)
  const [isLoading, setLoading] = useState(true)
  const box = useRef<HTMLPreElement>(null)

  useEffect(() => {
    const abort = new AbortController()
    let again: ReturnType<typeof setTimeout> | undefined
    callForText(instances.log, { params: { id } }, { signal: abort.signal })
      .then((log) => {
        setText(plainLog(log))
        setProblem(undefined)
      })
      .catch((thrown: unknown) => !isCancelled(thrown) && setProblem(asProblem(thrown)))
      .finally(() => {
        if (abort.signal.aborted) return
        setLoading(false)
        // schedule the next request only after the response: a fixed interval would cancel requests that a slow server
        // has not answered yet
        if (isFollowing) again = setTimeout(() => setAsked((count) => count + 1), everyMs)
      })
    return () => {
      abort.abort()
      clearTimeout(again)
    }
  }, [id, asked, isFollowing])

  // scroll to the newest line
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [text])

  const tail = text === undefined ? undefined : tailOf(text, shownLines)
  return (
    <div className={css.log}>
      <div className={css.bar}>
        <Switch isSelected={isFollowing} onChange={setFollowing}>
          {t('instances.log.follow')}
        </Switch>
        <span className={css.gap} />
        <Button
          size="small"
          icon={RefreshIcon}
          isBusy={isLoading && !isFollowing}
          onPress={() => {
            setLoading(true)
            setAsked(asked + 1)
          }}
        >
          {t('instances.log.refresh')}
        </Button>
        <Button
          size="small"
          icon={DownloadIcon}
          isDisabled={!text}
          onPress={() => text !== undefined && saveAsFile(`${name}-console.log`, text)}
        >
          {t('instances.log.download')}
        </Button>
      </div>
      {problem && <Banner tone="bad">{problemText(problem, shell)}</Banner>}
      {tail !== undefined && (
        <>
          <section className={css.box} aria-label={t('instances.tab.log')}>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
            <pre ref={box} className={css.text} dir="ltr" tabIndex={0}>
              {tail.text || t('instances.log.empty')}
            </pre>
          </section>
          {tail.hidden > 0 && <p className={css.note}>{t('instances.log.hidden', { count: tail.hidden })}</p>}
        </>
      )}
    </div>
  )
}
