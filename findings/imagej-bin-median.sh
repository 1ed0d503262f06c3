#!/bin/bash
# ImageJ 1.53t of Debian 12 (Java): Binner.shrink with MEDIAN, which is Image > Transform > Bin.
#
# Guess: the median of each bin; of an even count the lower, the upper or the mean of the two.
# Seen:  where one axis is binned the number is below the median: all pairs are 0, of three it is the
#        least, of 101 to 106 it is 102. Where both are binned it is the median, the lower of two. So
#        a picture that is binned by 2 along its lines alone comes out black.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir debs tree
# The program and a Java without a screen, not the desktop that the program asks for.
(cd debs && apt-get -qq -o APT::Sandbox::User=root download imagej=1.53t-1 libij-java=1.53t-1 openjdk-17-jre-headless openjdk-17-jdk-headless) || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
find tree/usr/lib/jvm -type l -lname '/etc/*' | while read -r link; do ln -sf "$work/tree$(readlink "$link")" "$link"; done

cat >Bin.java <<'JAVA'
import ij.plugin.Binner;
import ij.process.ByteProcessor;

class Bin {
	public static void main(String[] arguments) {
		// Rows of 101 to 106, columns of one number.
		var picture = new ByteProcessor(6, 6);
		for (int i = 0; i < 36; i++) picture.set(i, 101 + i % 6);
		for (int[] bin : new int[][] {{2, 1}, {1, 2}, {2, 2}, {3, 1}, {1, 3}, {3, 2}, {2, 3}, {3, 3}, {6, 1}, {6, 6}}) {
			System.out.print("bins of " + bin[0] + " by " + bin[1] + ":");
			for (int method : new int[] {Binner.MEDIAN, Binner.AVERAGE}) {
				var binned = new Binner().shrink(picture, bin[0], bin[1], method);
				System.out.print(method == Binner.MEDIAN ? " median" : ", average");
				for (int i = 0; i < binned.getWidth(); i++) System.out.print(" " + binned.get(i));
			}
			System.out.println();
		}
	}
}
JAVA
seen=$(tree/usr/lib/jvm/java-17-openjdk-amd64/bin/java -Djava.awt.headless=true -cp tree/usr/share/java/ij.jar Bin.java 2>log) || { cat log >&2; exit 2; }
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
bins of 2 by 1: median 0 0 0, average 102 104 106
bins of 1 by 2: median 0 0 0 0 0 0, average 101 102 103 104 105 106
bins of 2 by 2: median 101 103 105, average 102 104 106
bins of 3 by 1: median 101 104, average 102 105
bins of 1 by 3: median 101 102 103 104 105 106, average 101 102 103 104 105 106
bins of 3 by 2: median 101 104, average 102 105
bins of 2 by 3: median 101 103 105, average 102 104 106
bins of 3 by 3: median 102 105, average 102 105
bins of 6 by 1: median 102, average 104
bins of 6 by 6: median 103, average 104
SEEN
