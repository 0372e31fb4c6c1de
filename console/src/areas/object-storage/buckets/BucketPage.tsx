import { useState } from 'react'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { ViewContent } from '../../../patterns/DrawerPage'
import { buttonClass } from '../../../ui/button-class'
import { Button } from '../../../ui/Button'
import { DeleteIcon, FolderIcon } from '../../../ui/icons'
import { Tabs } from '../../../ui/Tabs'
import { headBucket } from '../client/buckets'
import { s3Query } from '../keys'
import { bucketOfPart, s3Paths } from '../paths'
import { PolicyView } from '../policy/PolicyView'
import { RulesTab } from '../rules/RulesTab'
import { S3Page } from '../S3Page'
import { useS3 } from '../use-s3'
import { BucketOverview } from './BucketOverview'
import { DeleteBuckets } from './DeleteBuckets'

const tabNames = ['overview', 'bucket-policy', 'rules'] as const

/** `buckets/{bucketName}/{detailsTab}`: bucket details, policy and rules. */
export default function BucketPage() {
  const t = useT('objectStorage')
  const go = useAppNavigate()
  const name = bucketOfPart(useParam('bucketName'))
  const asked = useOptionalParam('detailsTab')
  const [isDeleting, setDeleting] = useState(false)
  const view = useS3(s3Query.bucket(name, 'head'), async (signal) => {
    await headBucket(name, signal)
    return true
  })
  const selected = tabNames.find((it) => it === asked) ?? 'overview'
  const tabs = [
    { id: 'overview' as const, label: t('tab.overview') },
    { id: 'bucket-policy' as const, label: t('policy.title') },
    { id: 'rules' as const, label: t('rules.tab') },
  ]
  return (
    <S3Page
      title={<bdi>{name}</bdi>}
      actions={
        view.data && (
          <>
            <Button icon={DeleteIcon} onPress={() => setDeleting(true)}>
              {t('buckets.delete')}
            </Button>
            <Link to={s3Paths.files(name)} className={buttonClass({ variant: 'primary' })}>
              <FolderIcon />
              <span>{t('buckets.open')}</span>
            </Link>
          </>
        )
      }
    >
      <ViewContent view={view}>
        {() => (
          <Tabs
            label={t('buckets.one')}
            items={tabs}
            selected={selected}
            onChange={(id) => go(s3Paths.bucket(name, id), { replace: true })}
          >
            {selected === 'overview' && <BucketOverview name={name} />}
            {selected === 'bucket-policy' && <PolicyView bucket={name} />}
            {selected === 'rules' && <RulesTab bucket={name} />}
          </Tabs>
        )}
      </ViewContent>
      {isDeleting && (
        <DeleteBuckets
          buckets={[{ name }]}
          onClose={(isDone) => (isDone ? go(s3Paths.buckets()) : setDeleting(false))}
        />
      )}
    </S3Page>
  )
}
