#!/bin/bash
# ImageJ 1.53t of Debian 12 (Java): ImageProcessor.resize with bilinear or bicubic interpolation.
#
# Guess: the pixels' areas are laid on each other: halved, positions .5 2.5 4.5 are read.
# Seen:  a quarter of an input pixel is taken off whatever the factor, which is right for twice the
#        size alone. Halved, positions 0 1.75 3.75 5.75 7.75 are read, .75 too far left; ten times as
#        wide, the picture is two pixels too far left and has 3 copies of one end and 7 of the other.
#        So a picture halved and doubled comes back moved. Without interpolation the first pixel of
#        two is taken. Averaging when downsizing, a third argument, is right.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir debs tree
# The program and a Java without a screen, not the desktop that the program asks for.
(cd debs && apt-get -qq -o APT::Sandbox::User=root download imagej=1.53t-1 libij-java=1.53t-1 openjdk-17-jre-headless openjdk-17-jdk-headless) || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
find tree/usr/lib/jvm -type l -lname '/etc/*' | while read -r link; do ln -sf "$work/tree$(readlink "$link")" "$link"; done

cat >Resize.java <<'JAVA'
import ij.process.FloatProcessor;

class Resize {
	// show: a row of which each pixel has its position as its number, resized.
	static void show(String name, int method, int from, int to) {
		var row = new FloatProcessor(from, 3);
		for (int i = 0; i < 3 * from; i++) row.setf(i, i % from);
		row.setInterpolationMethod(method);
		print(name, from, to, row.resize(to, 3));
		if (name.equals("bilinear") && to < from) print(name + " averaging", from, to, row.resize(to, 3, true));
	}

	static void print(String name, int from, int to, ij.process.ImageProcessor resized) {
		System.out.print(name + ", " + from + " to " + to + ":");
		for (int i = 0; i < to; i++) System.out.print(" " + Math.round(resized.getf(i) * 100) / 100.);
		System.out.println();
	}

	public static void main(String[] arguments) {
		show("none", FloatProcessor.NONE, 10, 5);
		show("bilinear", FloatProcessor.BILINEAR, 10, 5);
		show("bicubic", FloatProcessor.BICUBIC, 10, 5);
		show("bilinear", FloatProcessor.BILINEAR, 12, 3);
		show("bilinear", FloatProcessor.BILINEAR, 10, 8);
		show("bilinear", FloatProcessor.BILINEAR, 3, 6);
		show("bilinear", FloatProcessor.BILINEAR, 2, 20);
	}
}
JAVA
seen=$(tree/usr/lib/jvm/java-17-openjdk-amd64/bin/java -Djava.awt.headless=true -cp tree/usr/share/java/ij.jar Resize.java 2>log) || { cat log >&2; exit 2; }
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
none, 10 to 5: 0.0 2.0 4.0 6.0 8.0
bilinear, 10 to 5: 0.0 1.75 3.75 5.75 7.75
bilinear averaging, 10 to 5: 0.63 2.5 4.5 6.5 8.38
bicubic, 10 to 5: 0.0 1.75 3.75 5.75 7.75
bilinear, 12 to 3: 0.0 3.75 7.75
bilinear averaging, 12 to 3: 1.66 5.5 9.34
bilinear, 10 to 8: 0.0 1.0 2.25 3.5 4.75 6.0 7.25 8.5
bilinear averaging, 10 to 8: 0.23 1.42 2.58 3.85 5.15 6.42 7.58 8.77
bilinear, 3 to 6: 0.0 0.25 0.75 1.25 1.75 2.0
bilinear, 2 to 20: 0.0 0.0 0.0 0.05 0.15 0.25 0.35 0.45 0.55 0.65 0.75 0.85 0.95 1.0 1.0 1.0 1.0 1.0 1.0 1.0
SEEN
