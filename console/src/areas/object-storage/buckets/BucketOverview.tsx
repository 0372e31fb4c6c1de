import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { Panel } from '../../../ui/Panel'
import { Bytes } from '../../../ui/values/Bytes'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Time } from '../../../ui/values/Time'
import { listBuckets } from '../client/buckets'
import { s3Query } from '../keys'
import { useS3 } from '../use-s3'
import { BucketHistory } from './BucketHistory'
import css from './buckets.module.css'
import { countBucket } from './count'

/** Summary of a bucket's contents, and the endpoint and URL that S3 clients use. */
export function BucketOverview({ name }: { name: string }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const service = useView(s3Service.view, {})
  const buckets = useS3(s3Query.buckets(), listBuckets)
  const count = useS3(s3Query.bucket(name, 'count'), (signal) => countBucket(name, signal))
  const created = buckets.data?.find((bucket) => bucket.name === name)?.created_at
  const { endpoint } = service.data ?? {}
  const counting = count.problem ? t('overview.notCounted') : t('overview.counting')
  const address = `s3://${name}/`
  return (
    <div className={css.parts}>
      <div className={css.columns}>
        <Panel title={t('overview.stored')}>
          <Facts
            rows={[
              [t('overview.size'), count.data ? <Bytes of={count.data.size} /> : counting],
              [
                t('overview.objects'),
                count.data
                  ? t(count.data.isMore ? 'overview.moreThan' : 'overview.count', {
                      shown: format.number(count.data.objects),
                    })
                  : counting,
              ],
              [t('overview.changed'), count.data?.changed && <Time at={count.data.changed} show="both" />],
              [t('overview.created'), created && <Time at={created} show="both" />],
            ]}
          />
        </Panel>
        <Panel title={t('access.connect')}>
          <Facts
            rows={[
              [t('access.endpoint'), endpoint && <CopyableCode>{endpoint}</CopyableCode>],
              [t('overview.url'), endpoint && <CopyableCode>{`${endpoint}/${name}`}</CopyableCode>],
              [t('access.region'), t('access.regionText')],
            ]}
          />
          {endpoint && (
            <CodeBlock label={t('overview.command')}>{`aws s3 ls ${address} --endpoint-url ${endpoint}`}</CodeBlock>
          )}
        </Panel>
      </div>
      <BucketHistory bucket={name} />
    </div>
  )
}
