import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { getEncryption, putEncryption } from '../client/settings'
import { s3Query } from '../keys'
import { refreshS3, useS3 } from '../use-s3'

const texts = { none: 'encryption.none', AES256: 'encryption.aes', 'aws:kms': 'encryption.kms' } as const

/** Default encryption for new files. */
export function EncryptionPanel({ bucket }: { bucket: string }) {
  const t = useT('objectStorage')
  const mayChange = useMay()(s3Keys.update.needs)
  const view = useS3(s3Query.bucket(bucket, 'encryption'), (signal) => getEncryption(bucket, signal))
  const isOn = view.data !== 'none'
  const turn = async () => {
    const isSure = await confirm({
      title: t(isOn ? 'encryption.turnOffTitle' : 'encryption.turnOnTitle', { bucket }),
      text: t('encryption.changeText'),
      verb: t(isOn ? 'encryption.turnOff' : 'encryption.turnOn'),
      run: () => putEncryption(bucket, !isOn),
    })
    if (!isSure) return
    toast(t(isOn ? 'encryption.turnedOff' : 'encryption.turnedOn', { bucket }))
    await refreshS3(s3Query.bucket(bucket, 'encryption'))
  }
  return (
    <Panel
      title={t('encryption.title')}
      action={
        view.data &&
        mayChange && <Button onPress={() => void turn()}>{t(isOn ? 'encryption.turnOff' : 'encryption.turnOn')}</Button>
      }
    >
      <ViewContent view={view}>{(state) => <p>{t(texts[state])}</p>}</ViewContent>
    </Panel>
  )
}
