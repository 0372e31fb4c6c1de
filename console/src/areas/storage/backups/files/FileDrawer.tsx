import { useT } from '../../../../i18n/use-t'
import { Facts } from '../../../../patterns/Facts'
import { Button } from '../../../../ui/Button'
import { DownloadIcon } from '../../../../ui/icons'
import { Drawer } from '../../../../ui/overlays/Drawer'
import { Bytes } from '../../../../ui/values/Bytes'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { Time } from '../../../../ui/values/Time'
import { downloadFile } from './download'
import { FilePreview } from './FilePreview'
import css from './files.module.css'
import { OtherPoints, type OtherPointsProps } from './OtherPoints'

interface FileDrawerProps extends OtherPointsProps {
  onClose: () => void
}

/** A file of a recovery point: its content, as far as it can be shown, its properties, and other recovery points. */
export function FileDrawer({ place, file, onClose, ...others }: FileDrawerProps) {
  const t = useT('storage')
  return (
    <Drawer
      isOpen
      title={<bdi>{file.name}</bdi>}
      onClose={onClose}
      actions={
        <Button icon={DownloadIcon} onPress={() => downloadFile(place, file)}>
          {t('backups.files.download')}
        </Button>
      }
    >
      <div className={css.parts}>
        <FilePreview place={place} file={file} />
        <Facts
          rows={[
            [t('backups.files.path'), <CopyableCode key="path">{file.path}</CopyableCode>],
            [t('volumes.size'), file.size !== null && <Bytes key="size" of={file.size} />],
            [t('backups.files.modified'), file.modified_at !== null && <Time at={file.modified_at} show="both" />],
            [t('backups.files.owner'), String(file.owner)],
          ]}
        />
        {others.points.length > 0 && <OtherPoints place={place} file={file} {...others} />}
      </div>
    </Drawer>
  )
}
