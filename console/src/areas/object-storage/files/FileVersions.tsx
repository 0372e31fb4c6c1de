import { useState } from 'react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { downloadFrom } from '../../../api/transfers/download'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Line } from '../../../patterns/Line'
import lines from '../../../patterns/lines.module.css'
import { useMay } from '../../../session/may'
import { IconButton } from '../../../ui/IconButton'
import { DeleteIcon, DownloadIcon, RestoreIcon, TagIcon } from '../../../ui/icons'
import { Badge } from '../../../ui/values/Badge'
import { Bytes } from '../../../ui/values/Bytes'
import { Time } from '../../../ui/values/Time'
import { presigned } from '../client/presign'
import { getVersioning } from '../client/settings'
import { deleteVersion, restoreVersion, versionsOf, type FileVersion } from '../client/versions'
import { s3Query } from '../keys'
import { VersionTags } from '../tags/TagsPanel'
import { refreshS3, useS3 } from '../use-s3'
import { nameOf, visible } from './file-row'

/** Lists the versions of a file in a versioned bucket. Each can be downloaded, restored or deleted. */
export function FileVersions({ bucket, objectKey: key }: { bucket: string; objectKey: string }) {
  const t = useT('objectStorage')
  const mayChange = useMay()(s3Keys.update.needs)
  const [tagged, setTagged] = useState<string>()
  const versioning = useS3(s3Query.bucket(bucket, 'versioning'), (signal) => getVersioning(bucket, signal))
  const keeps = versioning.data !== undefined && versioning.data !== 'never'
  const view = useS3(s3Query.object(bucket, key, 'versions'), (signal) => versionsOf(bucket, key, signal), {
    isEnabled: keeps,
  })
  if (!keeps) return null

  const renew = () =>
    refreshS3(s3Query.object(bucket, key), s3Query.object(bucket, key, 'versions'), s3Query.folder(bucket))
  const name = visible(nameOf(key))
  async function restore(version: FileVersion) {
    const isSure = await confirm({
      title: t('versions.restoreTitle', { name }),
      text: t('versions.restoreText'),
      verb: t('versions.restore'),
      run: () => restoreVersion(bucket, version),
    })
    if (!isSure) return
    toast(t('versions.restored', { name }))
    await renew()
  }
  async function remove(version: FileVersion) {
    const isGone = await confirmDelete({
      ...{
        title: t('versions.deleteOne', { name: version.version }),
        verb: t('versions.deleteOneVerb'),
        text: t('versions.deleteText'),
      },
      run: () => deleteVersion(bucket, version),
    })
    if (isGone) await renew()
  }
  return (
    <section>
      <h3>{t('versions.title')}</h3>
      <ViewContent view={view}>
        {({ versions, isMore }) => (
          <>
            <ul className={lines.list}>
              {versions.map((version) => (
                <Line
                  key={version.version}
                  name={<Time at={version.modified} show="both" />}
                  badge={
                    version.isLatest ? (
                      <Badge>{t('versions.latest')}</Badge>
                    ) : (
                      version.isMarker && <Badge>{t('versions.deleted')}</Badge>
                    )
                  }
                  notes={[version.isMarker ? t('versions.marker') : <Bytes key="size" of={version.size} />]}
                  action={
                    <>
                      {!version.isMarker && (
                        <IconButton
                          icon={DownloadIcon}
                          label={t('versions.download', { version: version.version })}
                          onPress={() => downloadFrom(presigned(bucket, key, { version: version.version }))}
                        />
                      )}
                      {mayChange && !version.isMarker && (
                        <IconButton
                          icon={TagIcon}
                          label={t('tags.ofVersion', { version: version.version })}
                          onPress={() => setTagged(version.version)}
                        />
                      )}
                      {mayChange && !version.isLatest && !version.isMarker && (
                        <IconButton
                          icon={RestoreIcon}
                          label={t('versions.restoreNamed', { version: version.version })}
                          onPress={() => void restore(version)}
                        />
                      )}
                      {mayChange && (
                        <IconButton
                          icon={DeleteIcon}
                          label={t('versions.deleteNamed', { version: version.version })}
                          onPress={() => void remove(version)}
                        />
                      )}
                    </>
                  }
                />
              ))}
            </ul>
            {tagged !== undefined && (
              <VersionTags
                of={{ bucket, key, version: tagged }}
                name={t('tags.version', { name, version: tagged })}
                onClose={() => setTagged(undefined)}
              />
            )}
            {isMore && <p className={lines.note}>{t('versions.more')}</p>}
          </>
        )}
      </ViewContent>
    </section>
  )
}
