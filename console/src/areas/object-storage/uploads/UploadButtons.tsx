import { useT } from '../../../i18n/use-t'
import { FileButton } from '../../../ui/fields/FileButton'
import { FolderIcon, UploadIcon } from '../../../ui/icons'
import { chosenFiles } from './dropped'
import type { Picked } from './queue'

/** Asks for files, or for a folder, to be uploaded. */
export function UploadButtons({ onSelect }: { onSelect: (picked: Picked[]) => void }) {
  const t = useT('objectStorage')
  return (
    <>
      <FileButton icon={FolderIcon} isForFolder onSelect={(files) => onSelect(chosenFiles(files))}>
        {t('upload.folder')}
      </FileButton>
      <FileButton variant="primary" icon={UploadIcon} allowsMultiple onSelect={(files) => onSelect(chosenFiles(files))}>
        {t('upload.files')}
      </FileButton>
    </>
  )
}
