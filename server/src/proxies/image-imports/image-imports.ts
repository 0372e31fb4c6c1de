import path from 'node:path'
import type { CatalogueImage, ImageCatalogue } from '@mainstay/contract/compute/image-imports'
import { openOutside, type Outside, type OutsideOptions } from './fetch-file'
import { readCatalogue } from './read-catalogue'

/** Where images come from, beside people's own files. */
export interface ImageImports {
  catalogue(): Promise<ImageCatalogue>
  /** An image of the catalogue; null where there is none. */
  find(id: string): Promise<CatalogueImage | null>
  outside: Outside
}

/** `dataFolder`: a catalogue there, `image-catalogue.json`, takes the place of the built-in one. */
export function createImageImports({ dataFolder, ...outside }: { dataFolder: string } & OutsideOptions): ImageImports {
  const catalogue = () => readCatalogue(path.join(dataFolder, 'image-catalogue.json'))
  return {
    catalogue,
    find: async (id) => (await catalogue()).data.find((image) => image.id === id) ?? null,
    outside: openOutside(outside),
  }
}
