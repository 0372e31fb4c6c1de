import { useState } from 'react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { getProtection, getVersioning, putVersioning, type Versioning, getCors, putCors } from '../client/settings'
import { s3Query } from '../keys'
import { TagsPanel } from '../tags/TagsPanel'
import { refreshS3, useS3 } from '../use-s3'
import { EncryptionPanel } from './EncryptionPanel'
import { LifecyclePanel } from './LifecyclePanel'
import { ProtectionForm } from './ProtectionForm'
import css from './rules.module.css'
import { CorsForm } from './CorsForm'
import { RulesPanel } from './RulesPanel'

/** A bucket's CORS rules. */
function CorsPanel({ bucket }: { bucket: string }) {
  const t = useT('objectStorage')
  const queryKey = s3Query.bucket(bucket, 'cors')
  const view = useS3(queryKey, (signal) => getCors(bucket, signal))
  return (
    <RulesPanel
      words="cors"
      view={view}
      lineOf={(rule, at) => {
        const origin = rule.origins.join(', ')
        return {
          ...{ key: `${rule.id}-${at}`, name: origin, notes: [t('cors.may', { methods: rule.methods.join(', ') })] },
          ...{ edit: t('cors.editNamed', { origin }), remove: t('cors.deleteNamed', { origin }) },
        }
      }}
      put={(rules, { document }) => putCors(bucket, rules, document)}
      renew={() => refreshS3(queryKey)}
      form={(held, rule, onClose) => <CorsForm {...{ bucket, held, rule, onClose }} />}
    />
  )
}

/** A bucket's versioning, object lock, encryption, lifecycle rules, CORS rules and tags. */
export function RulesTab({ bucket }: { bucket: string }) {
  const versioning = useS3(s3Query.bucket(bucket, 'versioning'), (signal) => getVersioning(bucket, signal))
  return (
    <div className={css.columns}>
      <div className={css.parts}>
        <VersionsPanel bucket={bucket} view={versioning} />
        <ProtectionPanel bucket={bucket} versioning={versioning.data} />
        <EncryptionPanel bucket={bucket} />
      </div>
      <div className={css.parts}>
        <LifecyclePanel bucket={bucket} keepsVersions={(versioning.data ?? 'never') !== 'never'} />
        <CorsPanel bucket={bucket} />
        <TagsPanel of={{ bucket }} name={bucket} />
      </div>
    </div>
  )
}

function VersionsPanel({ bucket, view }: { bucket: string; view: ReturnType<typeof useS3<Versioning>> }) {
  const t = useT('objectStorage')
  const mayChange = useMay()(s3Keys.update.needs)
  const turn = async (isOn: boolean) => {
    const isSure = await confirm({
      title: t(isOn ? 'versions.turnOnTitle' : 'versions.suspendTitle', { bucket }),
      text: t(isOn ? 'versions.turnOnText' : 'versions.suspendText'),
      verb: t(isOn ? 'versions.turnOn' : 'versions.suspend'),
      run: () => putVersioning(bucket, isOn),
    })
    if (!isSure) return
    toast(t(isOn ? 'versions.turnedOn' : 'versions.stopped', { bucket }))
    await refreshS3(s3Query.bucket(bucket, 'versioning'))
  }
  const isOn = view.data === 'on'
  return (
    <Panel
      title={t('versions.title')}
      action={
        view.data &&
        mayChange && (
          <Button onPress={() => void turn(!isOn)}>{t(isOn ? 'versions.suspend' : 'versions.turnOn')}</Button>
        )
      }
    >
      <ViewContent view={view}>{(state) => <p>{t(`versions.${state}`)}</p>}</ViewContent>
    </Panel>
  )
}

function ProtectionPanel({ bucket, versioning }: { bucket: string; versioning: Versioning | undefined }) {
  const t = useT('objectStorage')
  const mayChange = useMay()(s3Keys.update.needs)
  const [isOpen, setOpen] = useState(false)
  const view = useS3(s3Query.bucket(bucket, 'object-lock'), async (signal) => ({
    protection: await getProtection(bucket, signal),
  }))
  return (
    <Panel
      title={t('protection.title')}
      action={
        view.data &&
        mayChange && (
          <Button
            disabledBecause={versioning === 'on' ? undefined : t('protection.needsVersions')}
            onPress={() => setOpen(true)}
          >
            {t(view.data.protection ? 'protection.change' : 'protection.turnOn')}
          </Button>
        )
      }
    >
      <ViewContent view={view}>
        {({ protection }) => (
          <>
            <p>
              {protection === null
                ? t('protection.off')
                : protection.days === null
                  ? t('protection.onRequest')
                  : t(protection.mode === 'COMPLIANCE' ? 'protection.strict' : 'protection.governed', {
                      days: protection.days,
                    })}
            </p>
            {isOpen && <ProtectionForm bucket={bucket} protection={protection} onClose={() => setOpen(false)} />}
          </>
        )}
      </ViewContent>
    </Panel>
  )
}
