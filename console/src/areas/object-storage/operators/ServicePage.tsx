import { s3Service, type S3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { Page } from '../../../patterns/Page'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import type { Tone } from '../../../ui/tone'
import { Amount, Bytes } from '../../../ui/values/Bytes'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { UserTable } from './UserTable'

const tones: Readonly<Record<S3Service['state'], Tone>> = {
  ...{ healthy: 'ok', degraded: 'warn', failed: 'bad', absent: 'idle' },
}
const lookEveryMs = 10_000

/** Object storage page for operators: service status, usage and users. */
export default function ServicePage() {
  const t = useT('objectStorage')
  const may = useMay()
  const view = useView(s3Service.view, {}, { everyMs: lookEveryMs })
  return (
    <Page title={t('title')} actions={view.data && <Switching service={view.data} />}>
      <ViewContent view={view}>
        {(service) => (
          <>
            <ServiceFacts service={service} />
            {service.s3_enabled && may(s3Users.list.needs) && <UserTable />}
          </>
        )}
      </ViewContent>
    </Page>
  )
}

function ServiceFacts({ service }: { service: S3Service }) {
  const t = useT('objectStorage')
  const { state, detail, endpoint, region, usage } = service
  return (
    <>
      {detail !== null && (
        <Banner tone={state === 'failed' ? 'bad' : state === 'absent' ? 'idle' : 'warn'}>{detail}</Banner>
      )}
      <Facts
        rows={[
          [
            t('service.state'),
            <StatusBadge key="state" tone={tones[state]}>
              {t(`service.${state}`)}
            </StatusBadge>,
          ],
          [t('access.endpoint'), endpoint ? <CopyableCode>{endpoint}</CopyableCode> : t('access.noEndpoint')],
          [t('access.region'), region],
          usage && [t('overview.size'), <Bytes key="size" of={usage.size} />],
          usage && [t('overview.objects'), <Amount key="objects" of={usage.objects} />],
          usage && [t('buckets.title'), <Amount key="buckets" of={usage.buckets} />],
        ]}
      />
    </>
  )
}

/** Enables or disables object storage for all users. */
function Switching({ service: { s3_enabled } }: { service: S3Service }) {
  const t = useT('objectStorage')
  const may = useMay()
  const refresh = [s3Service.view, s3Users.list]
  const make = useCall(s3Service.create, { refresh })
  const take = useCall(s3Service.delete, { refresh })
  if (!s3_enabled)
    return (
      may(s3Service.create.needs) && (
        <Button
          variant="primary"
          onPress={() =>
            void confirm({
              ...{ title: t('service.makeTitle'), text: t('service.makeText'), verb: t('service.make') },
              run: async (signal) => {
                await make.run({}, { signal })
                toast(t('service.made'))
              },
            })
          }
        >
          {t('service.make')}
        </Button>
      )
    )
  return (
    may(s3Service.delete.needs) && (
      <Button
        onPress={() =>
          void confirm({
            ...{ title: t('service.takeTitle'), text: t('service.takeText'), verb: t('service.take') },
            isDanger: true,
            typed: t('service.takeTyped'),
            run: async (signal) => {
              await take.run({}, { signal })
              toast(t('service.taken'))
            },
          })
        }
      >
        {t('service.take')}
      </Button>
    )
  )
}
