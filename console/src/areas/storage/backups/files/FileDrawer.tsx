import type { FileEntry } from '@mainstay/contract/storage/backup-files'
import { useT } from '../../../../i18n/use-t'
import { Facts } from '../../../../patterns/Facts'
import { Button } from '../../../../ui/Button'
import { DownloadIcon } from '../../../../ui/icons'
import { Drawer } from '../../../../ui/overlays/Drawer'
import { Bytes } from '../../../../ui/values/Bytes'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { Time } from '../../../../ui/values/Time'
import { downloadFile, type FolderPlace } from './download'
import { FilePreview } from './FilePreview'
import css from './files.module.css'

interface FileDrawerProps {
  place: FolderPlace
  file: FileEntry
  onClose: () => void
}

/** A file of a recovery point: its content, as far as it can be shown, and its properties. */
export function FileDrawer({ place, file, onClose }: FileDrawerProps) {
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
      </div>
    </Drawer>
  )
}
