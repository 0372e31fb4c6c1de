import { useId, useState, type SyntheticEvent } from 'react'
import { MOST_LINK_SECONDS, s3Links, type S3Link } from '@mainstay/contract/object-storage/s3-files'
import type { S3Key } from '@mainstay/contract/object-storage/s3-keys'
import { asProblem, type CallProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useNow } from '../../../lib/use-now'
import { Link } from '../../../nav/Link'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { Select } from '../../../ui/fields/Select'
import { TextField } from '../../../ui/fields/TextField'
import { Dialog } from '../../../ui/overlays/Dialog'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import { CopyButton } from '../../../ui/values/CopyButton'
import { callS3 } from '../client/runs'
import { s3Paths } from '../paths'
import { useAccount } from '../use-account'
import { visible, type FileRow } from './file-row'
import css from './files.module.css'

const lengths = { hour: 3600, day: 86_400, week: MOST_LINK_SECONDS } as const
type Choice = keyof typeof lengths | 'at'

/** Value for a datetime-local field: local time without a time zone. */
const localText = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)

interface ShareDialogProps {
  bucket: string
  file: Pick<FileRow, 'Key' | 'name'>
  onClose: () => void
}

/** Creates a link to a file that other people can use until it expires. */
export function ShareDialog({ bucket, file, onClose }: ShareDialogProps) {
  const account = useAccount()
  return (
    <ViewContent view={account}>
      {({ keys }) => (
        <Share bucket={bucket} file={file} keys={keys.filter(({ enabled }) => enabled)} onClose={onClose} />
      )}
    </ViewContent>
  )
}

function Share({ bucket, file, keys, onClose }: ShareDialogProps & { keys: readonly S3Key[] }) {
  const t = useT('objectStorage')
  const shell = useT('shell')
  const format = useFormat()
  const id = useId()
  const [choice, choose] = useState<Choice>('day')
  const [at, setAt] = useState(() => localText(inSeconds(lengths.day)))
  const [chosenKey, setKey] = useState<string>()
  // keys may be added or deleted while the dialog is open
  const accessKey = keys.find(({ acc_key }) => acc_key === chosenKey)?.acc_key ?? keys[0]?.acc_key ?? null
  const [link, setLink] = useState<S3Link>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<CallProblem>()

  const now = useNow()
  const moment = new Date(at)
  const isInTime = moment.getTime() > now && moment.getTime() <= now + MOST_LINK_SECONDS * 1000
  const isWrong = choice === 'at' && !isInTime
  /** Discards the link when a setting changes, because it was created with the previous settings. */
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value)
      setLink(undefined)
      setProblem(undefined)
    }

  async function make(event: SyntheticEvent) {
    event.preventDefault()
    if (accessKey === null || isWrong || link) return
    setBusy(true)
    setProblem(undefined)
    try {
      // send a duration if possible because the browser clock may be wrong
      const end = choice === 'at' ? { expires_at: moment.toISOString() } : { seconds: lengths[choice] }
      setLink(await callS3(s3Links.create, { body: { bucket, key: file.Key, acc_key: accessKey, ...end } }))
    } catch (thrown) {
      setProblem(asProblem(thrown))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      isOpen
      isFirm
      size="normal"
      title={t('share.title', { name: visible(file.name) })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{t('close')}</Button>
          {!link && keys.length > 0 && (
            <Button variant="primary" type="submit" form={id} isBusy={isBusy} isDisabled={isWrong}>
              {t('share.make')}
            </Button>
          )}
        </>
      }
    >
      {keys.length === 0 ? (
        <Banner tone="warn" action={<Link to={s3Paths.access()}>{t('share.keys')}</Link>}>
          {t('share.noKey')}
        </Banner>
      ) : (
        <form id={id} className={css.parts} onSubmit={(event) => void make(event)} noValidate>
          <div className={css.choice}>
            <span className={css.label}>{t('share.whenEnds')}</span>
            <SegmentedControl<Choice>
              label={t('share.whenEnds')}
              value={choice}
              onChange={changing(choose)}
              items={(['hour', 'day', 'week', 'at'] as const).map((it) => ({ id: it, label: t(`share.${it}`) }))}
            />
            {choice === 'at' && (
              <TextField
                type="datetime-local"
                label={t('share.atLabel')}
                isLabelHidden
                className={css.moment}
                value={at}
                onChange={changing(setAt)}
                error={isWrong ? t('share.tooLate') : undefined}
              />
            )}
            <p className={css.note}>
              {!isWrong && (
                <strong>
                  {t('share.ends', {
                    at: format.exact(link?.expires_at ?? (choice === 'at' ? moment : now + lengths[choice] * 1000)),
                  })}
                </strong>
              )}{' '}
              {t('share.longest')}
            </p>
          </div>
          <Select
            label={t('share.key')}
            help={t('share.endsWith')}
            value={accessKey}
            onChange={changing<string>(setKey)}
            items={keys.map(({ acc_key, name }) => ({
              id: acc_key,
              label: name ?? acc_key,
              ...(name && { end: acc_key }),
            }))}
          />
          {link && (
            <div className={css.link}>
              <TextField label={t('share.link')} value={link.url} isReadOnly isMono className={css.address} />
              <CopyButton value={link.url} size="normal">
                {t('share.copy')}
              </CopyButton>
            </div>
          )}
          {problem && <Banner tone="bad">{problemText(problem, shell)}</Banner>}
          <Banner tone="warn">{t('share.warning')}</Banner>
        </form>
      )}
    </Dialog>
  )
}
