/** Window title of a page: "SSH keys - Mainstay". */
export const titleText = (title: string, product: string) => (title ? `${title} - ${product}` : product)
