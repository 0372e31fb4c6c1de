import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ViewContent } from '../../../patterns/DrawerPage'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { Banner } from '../../../ui/feedback/Banner'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { EditIcon, LockIcon } from '../../../ui/icons'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { holdPolicy } from '../client/policy'
import { s3Query } from '../keys'
import { s3Paths } from '../paths'
import { useS3 } from '../use-s3'
import css from './policy.module.css'
import { publicAccess, statementsOf, summaryOf } from './summary'

/** Indents JSON; other text is returned unchanged. */
export function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** Read-only view of a bucket's policy. */
export function PolicyView({ bucket }: { bucket: string }) {
  const t = useT('objectStorage')
  const may = useMay()
  const view = useS3(s3Query.bucket(bucket, 'policy'), (signal) => holdPolicy(bucket, signal))
  const manage = (text: string) =>
    may(s3Keys.update.needs) && (
      <Link to={s3Paths.policy(bucket)} className={buttonClass({ variant: 'quiet' })}>
        <EditIcon />
        <span>{text}</span>
      </Link>
    )
  return (
    <ViewContent view={view}>
      {({ text: json }) =>
        json === null ? (
          <EmptyState icon={LockIcon} action={manage(t('policy.add'))}>
            {t('policy.none')}
          </EmptyState>
        ) : (
          <div className={css.parts}>
            <Banner tone={publicAccess(json).isReadable || publicAccess(json).isWritable ? 'warn' : 'idle'}>
              {t(summaryOf(json), { count: statementsOf(json).length })}
            </Banner>
            <CodeBlock label={t('policy.title')}>{indented(json)}</CodeBlock>
            <div>{manage(t('policy.manage'))}</div>
          </div>
        )
      }
    </ViewContent>
  )
}
